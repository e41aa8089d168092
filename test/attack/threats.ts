// Every threat that Portcullis knows of, by section. The tests of this folder hold them; docs/explanation/security.md shows both.
import { carriers } from './threats/carriers.ts';
import { configuration } from './threats/configuration.ts';
import { life } from './threats/life.ts';
import { login } from './threats/login.ts';
import { loginLog } from './threats/login-log.ts';
import { paths } from './threats/paths.ts';
import { resources } from './threats/resources.ts';
import { roles } from './threats/roles.ts';
import type { Section } from './threats/threat.ts';
import { tokens } from './threats/tokens.ts';

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
];
