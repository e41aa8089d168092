import { clusterWeaknesses } from './cluster.ts';
import { composeWeaknesses } from './compose.ts';
import { consoleWeaknesses } from './console.ts';
import { decisionWeaknesses } from './decision.ts';
import { directoryWeaknesses } from './directory.ts';
import { erasureWeaknesses } from './erasure.ts';
import { eventWeaknesses } from './events.ts';
import { factorWeaknesses } from './factors.ts';
import { gateWeaknesses } from './gate.ts';
import { groupWeaknesses } from './groups.ts';
import { guardWeaknesses } from './guard.ts';
import { httpWeaknesses } from './http.ts';
import { identityWeaknesses } from './identity.ts';
import { ldapWeaknesses } from './ldap.ts';
import { ldapLoginWeaknesses } from './ldap-login.ts';
import { loginWeaknesses } from './login.ts';
import { loginLogWeaknesses } from './login-log.ts';
import { mailWeaknesses } from './mail.ts';
import { memoryWeaknesses } from './memory.ts';
import { oauthWeaknesses } from './oauth.ts';
import { oidcWeaknesses } from './oidc.ts';
import { operationWeaknesses } from './operation.ts';
import { providerWeaknesses } from './providers.ts';
import { rulesWeaknesses } from './rules.ts';
import { serviceAccountWeaknesses } from './service-accounts.ts';
import { shippedWeaknesses } from './shipped.ts';
import type { Weakness } from './weakness.ts';

export { equivalents } from './equivalent.ts';

/** In the order of the pipeline, from the decision to the logs. */
export const weaknesses: readonly Weakness[] = [
  ...gateWeaknesses,
  ...mailWeaknesses,
  ...memoryWeaknesses,
  ...clusterWeaknesses,
  ...httpWeaknesses,
  ...decisionWeaknesses,
  ...directoryWeaknesses,
  ...rulesWeaknesses,
  ...identityWeaknesses,
  ...loginWeaknesses,
  ...factorWeaknesses,
  ...serviceAccountWeaknesses,
  ...providerWeaknesses,
  ...ldapWeaknesses,
  ...loginLogWeaknesses,
  ...erasureWeaknesses,
  ...eventWeaknesses,
  ...composeWeaknesses,
  ...operationWeaknesses,
  ...guardWeaknesses,
  ...consoleWeaknesses,
  ...shippedWeaknesses,
];
