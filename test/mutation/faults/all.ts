import type { Fault } from '../fault.ts';
import { clusterFaults } from './cluster.ts';
import { decisionFaults } from './decision.ts';
import { directoryFaults } from './directory.ts';
import { erasureFaults } from './erasure.ts';
import { eventFaults } from './events.ts';
import { factorFaults } from './factors.ts';
import { gateFaults } from './gate.ts';
import { guardFaults } from './guard.ts';
import { httpFaults } from './http.ts';
import { identityFaults } from './identity.ts';
import { ldapFaults } from './ldap.ts';
import { loginFaults } from './login.ts';
import { loginLogFaults } from './login-log.ts';
import { mailFaults } from './mail.ts';
import { memoryFaults } from './memory.ts';
import { operationFaults } from './operation.ts';
import { providerFaults } from './providers.ts';
import { rulesFaults } from './rules.ts';
import { serviceAccountFaults } from './service-accounts.ts';

export { noFaults } from './no-faults.ts';

/** In the order of the pipeline, from what decides to what is kept. */
export const faults: readonly Fault[] = [
  ...gateFaults,
  ...mailFaults,
  ...memoryFaults,
  ...clusterFaults,
  ...httpFaults,
  ...decisionFaults,
  ...directoryFaults,
  ...rulesFaults,
  ...identityFaults,
  ...loginFaults,
  ...factorFaults,
  ...serviceAccountFaults,
  ...providerFaults,
  ...ldapFaults,
  ...loginLogFaults,
  ...erasureFaults,
  ...eventFaults,
  ...operationFaults,
  ...guardFaults,
];
