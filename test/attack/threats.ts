// Every known threat, by section. The tests of this folder prove the defences; the pages of docs/explanation/security.md show both.
import { asking } from './threats/asking.ts';
import { callers } from './threats/callers.ts';
import { carriers } from './threats/carriers.ts';
import { configuration } from './threats/configuration.ts';
import { decided } from './threats/decided.ts';
import { delegation } from './threats/delegation.ts';
import { directories } from './threats/directories.ts';
import { directoryGuesses } from './threats/directory-guesses.ts';
import { erasing } from './threats/erasure.ts';
import { gateways } from './threats/gateways.ts';
import { ldap } from './threats/ldap.ts';
import { life } from './threats/life.ts';
import { login } from './threats/login.ts';
import { loginLog } from './threats/login-log.ts';
import { machines } from './threats/machines.ts';
import { mail } from './threats/mail.ts';
import { mappings } from './threats/mappings.ts';
import { oauth } from './threats/oauth.ts';
import { office } from './threats/office.ts';
import { pages } from './threats/pages.ts';
import { passkeys } from './threats/passkeys.ts';
import { paths } from './threats/paths.ts';
import { providers } from './threats/providers.ts';
import { records } from './threats/records.ts';
import { resources } from './threats/resources.ts';
import { roles } from './threats/roles.ts';
import { search } from './threats/search.ts';
import { signInMethods } from './threats/sign-in-methods.ts';
import { steps } from './threats/steps.ts';
import type { Section } from './threats/threat.ts';
import { tokens } from './threats/tokens.ts';
import { webhooks } from './threats/webhooks.ts';

export const sections: readonly Section[] = [
  tokens,
  carriers,
  life,
  paths,
  roles,
  login,
  resources,
  loginLog,
  configuration,
  delegation,
  gateways,
  office,
  records,
  callers,
  pages,
  search,
  asking,
  signInMethods,
  passkeys,
  directories,
  ldap,
  machines,
  mail,
  webhooks,
  erasing,
  oauth,
  directoryGuesses,
  mappings,
  providers,
  decided,
  steps,
];

/** Such as T01. */
export const threatIds: ReadonlySet<string> = new Set(
  sections.flatMap(({ threats }) => threats.map(({ id }) => id)),
);
