// Published vulnerabilities of other products, each with its attack on this service. What an advisory says is told in
// our own words; the attack is the smallest one of its class.
import type { Advisory } from './advisories/advisory.ts';
import { algorithms } from './advisories/algorithms.ts';
import { carriers } from './advisories/carriers.ts';
import { logins } from './advisories/logins.ts';
import { paths } from './advisories/paths.ts';
import { requests } from './advisories/requests.ts';
import { smuggling } from './advisories/smuggling.ts';
import { tokens } from './advisories/tokens.ts';

export const advisories: readonly Advisory[] = [
  ...algorithms,
  ...tokens,
  ...carriers,
  ...smuggling,
  ...paths,
  ...requests,
  ...logins,
];
