// A guard begins with a hundred thousand rules and as many ended tokens, and enforces the last of each.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeToken, signToken } from '../../../test/rig/tokens.ts';
import { bearer, orders, outcome, startWorld, type World } from './world.ts';

const count = 100_000;
let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

it('loads 100,000 rules and 100,000 ended tokens', async () => {
  const { database, signingKey } = world.service;
  await database.query(
    `insert into rules (role_id, method, path)
     select 2, 'GET', '/api/v1/bulk/item-' || n from generate_series(1, $1) n`,
    [count],
  );
  const jtis = Array.from({ length: count }, () => randomBytes(16).toString('base64url'));
  await database.query(
    `insert into revocations (jti, user_id, expires_at) select unnest($1::text[]), 2, now() + interval '1 hour'`,
    [jtis],
  );
  // A change of an unknown kind: a guard that receives it loads everything.
  const [change] = await database.query<{ n: number }>(
    `with next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n, mark)
     insert into revisions (n, mark, changes, moves) select n, mark, '[{"kind":"unknown"}]', '[]' from next returning n::int`,
  );
  await expect.poll(() => world.guard.status().revision).toBe(change?.n);
  const begunAt = performance.now();
  const guard = await world.openGuard();
  const seconds = (performance.now() - begunAt) / 1000;
  console.log(`A guard loaded ${count} rules and ${count} ended tokens in ${seconds.toFixed(2)} s.`);

  const token = await world.logIn('carl');
  const { claims } = decodeToken(token);
  const key = await signingKey();
  for (const jti of [jtis[0], jtis.at(-1)])
    expect(await outcome(guard, orders(signToken({ ...claims, jti }, key)))).toBe('token_revoked');
  for (const n of [1, count])
    expect(await outcome(guard, { path: `/api/v1/bulk/item-${n}`, headers: bearer(token) })).toBe('allowed');
  expect(await outcome(guard, { path: `/api/v1/bulk/item-${count + 1}`, headers: bearer(token) })).toBe(
    'permission_denied',
  );
});
