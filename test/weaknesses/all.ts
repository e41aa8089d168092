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

/** By the file of each, in the order of the pipeline, from what decides to what is kept. */
const lists: Readonly<Record<string, readonly Weakness[]>> = {
  gate: gateWeaknesses,
  mail: mailWeaknesses,
  memory: memoryWeaknesses,
  cluster: clusterWeaknesses,
  http: httpWeaknesses,
  decision: decisionWeaknesses,
  directory: directoryWeaknesses,
  rules: rulesWeaknesses,
  identity: identityWeaknesses,
  login: loginWeaknesses,
  factors: factorWeaknesses,
  'service-accounts': serviceAccountWeaknesses,
  providers: providerWeaknesses,
  oauth: oauthWeaknesses,
  oidc: oidcWeaknesses,
  ldap: ldapWeaknesses,
  'ldap-login': ldapLoginWeaknesses,
  groups: groupWeaknesses,
  'login-log': loginLogWeaknesses,
  erasure: erasureWeaknesses,
  events: eventWeaknesses,
  compose: composeWeaknesses,
  operation: operationWeaknesses,
  guard: guardWeaknesses,
  console: consoleWeaknesses,
  shipped: shippedWeaknesses,
};

export const weaknesses: readonly Weakness[] = Object.values(lists).flat();

/** The file that lists it. */
export function listOf(weakness: Weakness): string {
  const [name = ''] = Object.entries(lists).find(([, list]) => list.includes(weakness)) ?? [];
  return `test/weaknesses/${name}.ts`;
}
