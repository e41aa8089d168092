// What may stand in the login log for somebody's name where no account was looked up: the name in the ways in which it is
// usually typed, and the keyed hash of each.

import { canonicalUsername } from '../../base/values/canonical-username.ts';
import type { Pseudonymize } from '../../logs/login-log/pseudonym.ts';

export function createNameSpellings(hideNames: readonly Pseudonymize[]): (username: string) => string[] {
  return (username) => {
    const canonical = canonicalUsername(username);
    const capital = canonical.slice(0, 1).toUpperCase() + canonical.slice(1);
    const typed = [...new Set([username, canonical, capital, username.toUpperCase()])];
    return [...typed, ...hideNames.flatMap((hideName) => typed.map(hideName))];
  };
}
