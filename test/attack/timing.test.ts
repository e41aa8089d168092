// Whether the time of a refused login tells who has an account. Interleaved pairs in random order, every name used
// once; the classifier is the plain one that compares times.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../fuzz/random.ts';
import { createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { judgesTimes } from '../rig/judges-times.ts';
import { hashPassword, password } from '../rig/seed.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { size } from './size.ts';
import { compareTimes } from './timing/compare-times.ts';

const bars = { milliseconds: 0.5, auc: 0.52 };
/** A few pairs on a shared machine can show that there is a difference, and not that there is none. */
const isProof = size({ small: 0, full: 1 }) === 1;
const fewPairs = judgesTimes ? 100 : 10;

let service: Service;
let client: HttpClient;
beforeAll(async () => {
  service = await startService({ mode: 'dev', settings: { HASH_CONCURRENCY: '1' } });
  client = createHttpClient(service.server.port, { remembers: false, resends: true });
});
afterAll(async () => {
  client.close();
  await service.stop();
});

async function addUsers(names: readonly string[], enabled: boolean): Promise<void> {
  await service.database.query(
    `insert into users (username, canonical_username, department_id, role_id, password_hash, enabled)
     select new.name, new.name, departments.id, 5, $2, $3 from departments, unnest($1::text[]) as new (name)`,
    [names, await hashPassword(password, 2), enabled],
  );
}

const newNames = (count: number) => Array.from({ length: count }, () => `u${randomBytes(8).toString('hex')}`);

async function timeOf(username: string, secret: string): Promise<number> {
  const startedAt = performance.now();
  const { body } = await client.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { username, password: secret },
  });
  const milliseconds = performance.now() - startedAt;
  expect(body.code).toBe(400);
  return milliseconds;
}

async function timeBoth(
  [first, second]: readonly [string, string],
  secret: string,
  inThisOrder: boolean,
): Promise<[number, number]> {
  if (inThisOrder) return [await timeOf(first, secret), await timeOf(second, secret)];
  const ofSecond = await timeOf(second, secret);
  return [await timeOf(first, secret), ofSecond];
}

it.each([
  ['an account with a wrong password', true, 'wrong', size({ small: fewPairs, full: 20_000 })],
  ['a disabled account with its right password', false, password, size({ small: fewPairs, full: 5000 })],
])(
  'T70 the time of a refusal does not tell an unknown name from %s',
  async (_what, enabled, secret, pairs) => {
    const random = new Random(1);
    const [known, unknown] = [newNames(pairs), newNames(pairs)];
    await addUsers(known, enabled);
    for (let count = 0; count < fewPairs / 5; count += 1) await timeOf(`warm-up${count}`, secret);
    const times: [number, number][] = [];
    for (let index = 0; index < pairs; index += 1)
      times.push(await timeBoth([unknown[index] ?? '', known[index] ?? ''], secret, random.once(2)));
    const { interval99, auc } = compareTimes(times);
    console.log(
      `${pairs} pairs: median difference ${interval99.map((value) => value.toFixed(3)).join(' to ')} ms, AUC ${auc.toFixed(3)}`,
    );
    if (!judgesTimes) return;
    const [low, high] = interval99;
    expect(isProof ? high : low).toBeLessThan(bars.milliseconds);
    expect(isProof ? low : high).toBeGreaterThan(-bars.milliseconds);
    if (isProof) expect(Math.abs(auc - 0.5)).toBeLessThan(bars.auc - 0.5);
  },
);
