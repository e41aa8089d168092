// Authentication of gateways and services by a shared secret. It compares digests in constant time, so that a timing attack
// learns neither the length nor the position of the first wrong character.
import { hash, timingSafeEqual } from 'node:crypto';

export type IsServiceSecret = (presented: string) => boolean;

export function createServiceSecret(secrets: readonly string[]): IsServiceSecret {
  const digests = secrets.filter((secret) => secret !== '').map(digest);
  return (presented) => {
    const given = digest(presented);
    let matches = 0;
    for (const known of digests) matches += timingSafeEqual(known, given) ? 1 : 0;
    return matches > 0;
  };
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
