// What stands in the login log for a name that no account is known to have: people type passwords into the field of the
// name. Its length and a keyed hash, so that the same one can be counted, and found by whoever types it again.
import { createHmac } from 'node:crypto';

export type Pseudonymize = (name: string) => string;

const shownDigits = 16;

export function createPseudonymize(key: Buffer): Pseudonymize {
  return (name) => {
    const hash = createHmac('sha256', key).update(name).digest('hex');
    return `[unknown:${name.length}:${hash.slice(0, shownDigits)}]`;
  };
}
