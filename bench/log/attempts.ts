// Generates login attempts of the test population, in the form in which login passes them to the log.
import { randomBytes, randomUUID } from 'node:crypto';
import type { LoginAttempt, LoginReason } from '@portcullis/contract';
import {
  addressCount,
  addressOf,
  agents,
  pick,
  reasons,
  unknownNameCount,
  unknownNames,
  userCount,
} from './population.ts';

export function createAttempt(): LoginAttempt {
  const reason = pick(reasons, Math.random()) as LoginReason;
  const isKnown = Math.random() * 100_000 >= unknownNames;
  const user = oneOf(userCount);
  const hasIdentity = reason === 'ok' || reason === 'logout';
  return {
    outcome: hasIdentity ? 'success' : 'failure',
    reason,
    username: isKnown || hasIdentity ? `user-${user}` : `guess-${oneOf(unknownNameCount)}`,
    userId: hasIdentity ? user + 1 : undefined,
    roleKey: hasIdentity ? 'clerk' : undefined,
    jti: hasIdentity ? randomBytes(16).toString('base64url') : undefined,
    ip: addressOf(oneOf(addressCount)),
    userAgent: pick(agents, Math.random()).userAgent,
    requestId: randomUUID(),
  };
}

/** A skewed distribution: a few values are frequent and many are rare. */
function oneOf(count: number): number {
  return Math.floor(Math.random() ** 2 * count);
}
