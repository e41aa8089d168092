// Rows of the login log as an instance makes them.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Chain, createChain } from '../../../src/logs/login-log/chain.ts';
import { createLoginRecord, type LoginRecord } from '../../../src/logs/login-log/login-record.ts';
import { type LoginRow, rowOf } from '../../../src/logs/login-log/login-row.ts';
import { createPseudonymize } from '../../../src/logs/login-log/pseudonym.ts';
import { idAt } from '../../id-at.ts';

export const chainKey = randomBytes(32);
export const hideName = createPseudonymize(randomBytes(32));
export const instance = randomUUID();

const client = { browser: 'Firefox', os: 'Linux', platform: 'desktop', location: 'IN' };

export function rowWith(change: Partial<LoginRecord> = {}, at = Date.now()): LoginRow {
  const attempt = {
    outcome: 'success',
    reason: 'ok',
    username: 'mei',
    userId: 7,
    roleKey: 'editor',
    jti: 'j',
    ip: '192.0.2.1',
    userAgent: 'curl/8',
    requestId: 'r-1',
    ...change,
  } as const;
  const stamp = { id: change.id ?? idAt(at), at: new Date(at), instance: change.instance ?? instance };
  return rowOf(createLoginRecord(attempt, stamp, client, hideName));
}

/** The texts of rows that follow on each other in a chain. */
export function textsOf(rows: readonly LoginRow[], chain: Chain = startChain()): string[] {
  return rows.map((row) => JSON.stringify(chain.add(row)));
}

export function startChain(): Chain {
  return createChain(chainKey, randomUUID());
}
