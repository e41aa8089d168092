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

/** Each with an authenticator app: what is sealed is never opened, because no password is right. */
async function arm(names: readonly string[]): Promise<void> {
  await service.database.query(
    `insert into credentials (user_id, kind, factor, sealed_secret, confirmed_at)
     select id, 'totp', 2, '', now() from users where username = any($1)`,
    [names],
  );
}

const newNames = (count: number) => Array.from({ length: count }, () => `u${randomBytes(8).toString('hex')}`);

const post = (path: string, body: object) =>
  client.send({ method: 'POST', path: `/api/v1/login${path}`, body });

async function timeOf(username: string, secret: string, fields: object = {}): Promise<number> {
  const startedAt = performance.now();
  const { body } = await post('', { username, password: secret, ...fields });
  const milliseconds = performance.now() - startedAt;
  expect(body.code).toBe(400);
  return milliseconds;
}

/** Of the first step of a login that may take more. */
async function timeOfFirst(username: string, secret: string): Promise<number> {
  const { body } = await post('/begin', {});
  return await timeOf(username, secret, { flowId: (body.data as { flowId: string }).flowId });
}

async function timeBoth(
  time: (username: string) => Promise<number>,
  [first, second]: readonly [string, string],
  inThisOrder: boolean,
): Promise<[number, number]> {
  if (inThisOrder) return [await time(first), await time(second)];
  const ofSecond = await time(second);
  return [await time(first), ofSecond];
}

/** Unknown names beside known ones. */
async function compare(known: readonly string[], time: (username: string) => Promise<number>) {
  const random = new Random(1);
  const unknown = newNames(known.length);
  for (let count = 0; count < fewPairs / 5; count += 1) await time(`warm-up${count}`);
  const times: [number, number][] = [];
  for (const [index, name] of known.entries())
    times.push(await timeBoth(time, [unknown[index] ?? '', name], random.once(2)));
  const { interval99, auc } = compareTimes(times);
  console.log(
    `${known.length} pairs: median difference ${interval99.map((value) => value.toFixed(3)).join(' to ')} ms, AUC ${auc.toFixed(3)}`,
  );
  return { interval99, auc };
}

it.skipIf(!judgesTimes).each([
  ['an account with a wrong password', true, 'wrong', size({ small: fewPairs, full: 20_000 })],
  ['a disabled account with its right password', false, password, size({ small: fewPairs, full: 5000 })],
])(
  'T70 the time of a refusal does not tell an unknown name from %s',
  async (_what, enabled, secret, pairs) => {
    const known = newNames(pairs);
    await addUsers(known, enabled);
    const { interval99, auc } = await compare(known, (username) => timeOf(username, secret));
    const [low, high] = interval99;
    expect(isProof ? high : low).toBeLessThan(bars.milliseconds);
    expect(isProof ? low : high).toBeGreaterThan(-bars.milliseconds);
    if (isProof) expect(Math.abs(auc - 0.5)).toBeLessThan(bars.auc - 0.5);
  },
);

it.skipIf(!isProof || !judgesTimes)(
  'T149 the time of the first step does not distinguish an unknown name from a user with an authenticator app',
  async () => {
    const known = newNames(size({ small: fewPairs / 2, full: 5000 }));
    await addUsers(known, true);
    await arm(known);
    const { interval99, auc } = await compare(known, (username) => timeOfFirst(username, 'wrong'));
    const [low, high] = interval99;
    expect(high).toBeLessThan(bars.milliseconds);
    expect(low).toBeGreaterThan(-bars.milliseconds);
    expect(Math.abs(auc - 0.5)).toBeLessThan(bars.auc - 0.5);
  },
);
