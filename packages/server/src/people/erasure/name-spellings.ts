// Spellings of a username under which the login log can contain attempts without an account: the name as it is usually typed, and
// the keyed hash (pseudonym) of each spelling.

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
