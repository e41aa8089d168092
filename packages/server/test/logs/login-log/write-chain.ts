// Writes records of one chain the way an instance does: bound, inserted in batches, and signed at the end.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Store } from '../../../src/cluster/store/store.ts';
import { createUuidV7Source } from '../../../src/cluster/store/uuid-v7.ts';
import { insertHead } from '../../../src/logs/evidence/head-store.ts';
import { type Chain, type ChainPosition, createChain, signLink } from '../../../src/logs/login-log/chain.ts';
import { insertBatch } from '../../../src/logs/login-log/insert-batch.ts';
import { insertLoginRows, insertRejectedRecord } from '../../../src/logs/login-log/login-log-store.ts';
import { createLoginRecord, type LoginRecord } from '../../../src/logs/login-log/login-record.ts';
import { type LoginRow, rowOf } from '../../../src/logs/login-log/login-row.ts';
import { createPseudonymize } from '../../../src/logs/login-log/pseudonym.ts';

interface ChainOptions {
  readonly key: Buffer;
  /** When the records were written, oldest first. */
  readonly times: readonly number[];
  /** One of so many records is one that the table refuses. */
  readonly poisonEvery?: number;
  readonly signed?: boolean;
}

const hideName = createPseudonymize(randomBytes(32));
const batchSize = 1000;
/** No record is made with it, but one from elsewhere may have it: Postgres takes no NUL. */
const poison = 'a\0b';

export async function writeChain(store: Store, options: ChainOptions): Promise<Chain> {
  const { key, times, poisonEvery = 0, signed = true } = options;
  const chain = createChain(key, randomUUID());
  const nextId = createUuidV7Source(randomBytes);
  const texts = times.map((at, index) => {
    const row = rowOf(recordOf(nextId(at), at, index));
    return JSON.stringify(
      chain.add(poisonEvery > 0 && index % poisonEvery === 1 ? { ...row, user_agent: poison } : row),
    );
  });
  for (let done = 0; done < texts.length; done += batchSize)
    await insertTexts(store, texts.slice(done, done + batchSize));
  if (signed) await signHead(store, key, chain.id, chain.last);
  return chain;
}

export async function insertTexts(store: Store, texts: readonly string[]): Promise<void> {
  await insertBatch(
    {
      insert: (some) => insertLoginRows(store, some),
      insertRejected: (text, cause) => insertRejectedRecord(store, text, cause),
    },
    texts,
  );
}

export async function signHead(store: Store, key: Buffer, chain: string, link: ChainPosition): Promise<void> {
  await insertHead(store, { chain, ...link, signature: signLink(key, chain, link, 'head') });
}

export function rowWith(change: Partial<LoginRow> = {}, at = Date.now()): LoginRow {
  return { ...rowOf(recordOf(createUuidV7Source(randomBytes)(at), at, 0)), ...change };
}

function recordOf(id: string, at: number, index: number): LoginRecord {
  const isSuccess = index % 3 === 0;
  return createLoginRecord(
    {
      outcome: isSuccess ? 'success' : 'failure',
      reason: isSuccess ? 'ok' : 'credentials_wrong',
      username: `user${index % 97}`,
      userId: isSuccess ? (index % 97) + 1 : undefined,
      roleKey: isSuccess ? 'clerk' : undefined,
      jti: isSuccess ? `j${index}` : undefined,
      ip: index % 2 === 0 ? `192.0.2.${index % 256}` : `2001:db8::${((index % 65_535) + 1).toString(16)}`,
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) 浏览器 😀',
      requestId: `r-${index}`,
      // Every other one is bound as earlier versions bind it.
      ...(index % 2 === 0 ? {} : { method: 'totp', credentialId: index }),
    },
    { id, at: new Date(at), instance: '00000000-0000-4000-8000-000000000001' },
    { browser: 'Firefox', os: 'Linux', platform: 'desktop', location: 'NZ' },
    hideName,
  );
}

/** The first moment of a month, so many months ago. */
export function monthStart(ago: number): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1);
}

export function tableOf(ago: number): string {
  return `login_log_${new Date(monthStart(ago)).toISOString().slice(0, 7).replace('-', '_')}`;
}

/** A month as it was made ahead when it was still to come. */
export async function makeMonth(store: Store, ago: number): Promise<void> {
  const bounds = [ago, ago - 1].map(
    (month) => `uuid_v7_bound('${new Date(monthStart(month)).toISOString()}')`,
  );
  await sql
    .raw(
      `create table ${tableOf(ago)} partition of login_log for values from (${bounds[0]}) to (${bounds[1]})`,
    )
    .execute(store);
}
