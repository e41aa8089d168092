// Pseudonym in the login log for a name without a known account: people type passwords into the field of the name. It has the
// length and a keyed hash, so that the same name can be counted, and found by typing it again.
import { createHmac } from 'node:crypto';

export type Pseudonymize = (name: string) => string;

const shownDigits = 16;

export function createPseudonymize(key: Buffer): Pseudonymize {
  return (name) => {
    const hash = createHmac('sha256', key).update(name).digest('hex');
    return `[unknown:${name.length}:${hash.slice(0, shownDigits)}]`;
  };
}
