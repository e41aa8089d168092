// A login log on a real folder and a real database, which the test can take away.
import { randomBytes, randomUUID } from 'node:crypto';
import type { LoginAttempt } from '@portcullis/contract';
import type { Store } from '../../../src/cluster/store/store.ts';
import { insertHead } from '../../../src/logs/evidence/head-store.ts';
import { createHeads } from '../../../src/logs/login-log/heads.ts';
import type { LoginLogOptions } from '../../../src/logs/login-log/login-log.ts';
import { insertLoginRows, insertRejectedRecord } from '../../../src/logs/login-log/login-log-store.ts';
import { chainKey, hideName, instance } from './rows.ts';

export interface LogWorld {
  isAway: boolean;
  /** Milliseconds by which the clock of the log is ahead. */
  ahead: number;
  readonly failures: string[];
  readonly failedAttempts: string[];
  readonly options: LoginLogOptions;
}

export function createLogWorld(root: string, store: Store, change: Partial<LoginLogOptions> = {}): LogWorld {
  const whereThere = async (work: () => Promise<void>) => {
    if (world.isAway) throw new Error('The database is away.');
    await work();
  };
  const nothingKnown = { browser: undefined, os: undefined, platform: undefined, location: undefined };
  const world: LogWorld = {
    isAway: false,
    ahead: 0,
    failures: [],
    failedAttempts: [],
    options: {
      root,
      maxBytes: 16 * 1024 * 1024,
      store: {
        insert: (texts) => whereThere(() => insertLoginRows(store, texts)),
        insertRejected: (text, cause) => whereThere(() => insertRejectedRecord(store, text, cause)),
      },
      heads: createHeads({ key: chainKey, insert: (head) => whereThere(() => insertHead(store, head)) }),
      chainKey,
      instance,
      describeClient: () => nothingKnown,
      hideName,
      onFailedAttempt: ({ requestId }) => void world.failedAttempts.push(requestId),
      onBacklog: () => {},
      onFailure: (_cause, what) => void world.failures.push(what),
      now: () => Date.now() + world.ahead,
      monotonic: () => performance.now(),
      randomBytes,
      randomUuid: randomUUID,
      ...change,
    },
  };
  return world;
}

export function attemptWith(requestId: string, change: Partial<LoginAttempt> = {}): LoginAttempt {
  return {
    outcome: 'success',
    reason: 'ok',
    username: 'mei',
    userId: 7,
    roleKey: 'editor',
    jti: 'j',
    ip: '192.0.2.1',
    userAgent: undefined,
    requestId,
    ...change,
  };
}
