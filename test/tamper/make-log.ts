// A login log as it is after some months, written by the product's own code: hundreds of chains under two master keys,
// rejected records, records from before there were chains, a month that was dropped, and people who were erased.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Store } from '../../packages/server/src/cluster/store/store.ts';
import { createUuidV7Source } from '../../packages/server/src/cluster/store/uuid-v7.ts';
import { maintainLoginLog } from '../../packages/server/src/logs/evidence/login-log-retention.ts';
import { createChain } from '../../packages/server/src/logs/login-log/chain.ts';
import {
  insertTexts,
  makeMonth,
  monthStart,
  rowWith,
  signHead,
} from '../../packages/server/test/logs/login-log/write-chain.ts';
import type { Random } from '../fuzz/random.ts';
import { eraseLogins } from './erase-some.ts';

export interface LogOptions {
  readonly keys: readonly [Buffer, Buffer];
  readonly chains: number;
  readonly recordsPerChain: number;
}

const months = 5;
const hour = 3_600_000;
const batchSize = 1000;
const people = 100;
const erasedPeople = 30;
/** Postgres accepts no NUL in a text. */
const poison = 'a\0b';

export async function makeLog(store: Store, random: Random, options: LogOptions): Promise<void> {
  for (let ago = months; ago > 0; ago -= 1) await makeMonth(store, ago);
  const before = [0, 1, 2].map((index) => rowWith({}, monthStart(months + 1) + index));
  await insertTexts(
    store,
    before.map((row) => JSON.stringify(row)),
  );
  const written = Array.from({ length: options.chains }, (_, index) => makeChain(random, index, options));
  const texts = written.flatMap((chain) => chain.texts).sort((a, b) => (a.id < b.id ? -1 : 1));
  for (let done = 0; done < texts.length; done += batchSize)
    await insertTexts(
      store,
      texts.slice(done, done + batchSize).map(({ text }) => text),
    );
  for (const { key, chain } of written) await signHead(store, key, chain.id, chain.last);
  const isDone = await maintainLoginLog(store, {
    keys: options.keys,
    keptMonths: months - 1,
    report: (line) => console.log(line),
  });
  if (!isDone) throw new Error('The oldest month was not dropped.');
  for (let userId = 1; userId <= erasedPeople; userId += 1) await eraseLogins(store, options.keys, userId);
}

/** Some are short, and some go on over months. */
function makeChain(random: Random, index: number, { keys, recordsPerChain }: LogOptions) {
  const key = keys[index % 7 === 0 ? 1 : 0];
  const chain = createChain(key, randomUUID());
  const nextId = createUuidV7Source(randomBytes);
  const length = random.once(10) ? 1 + random.below(3) : recordsPerChain;
  const step = 1 + random.below(random.once(2) ? 24 * hour : hour);
  let at = monthStart(months) + random.below(110 * 24) * hour;
  const texts = Array.from({ length }, () => {
    at = Math.min(at + step, Date.now());
    const id = nextId(at);
    const user = random.below(people);
    const made = rowWith({ id, username: `user${user}`, user_id: 1 + user, request_id: randomUUID() }, at);
    const row = random.once(50) ? { ...made, user_agent: poison } : made;
    return { id, text: JSON.stringify(chain.add(row)) };
  });
  return { key, chain, texts };
}
