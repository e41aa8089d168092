// What the metrics say after requests to the whole service: that every count is wired to what it counts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DevService, startDevService } from './dev-service.ts';

const secret = '3f1c9a7be0d24586a1c9e7f30b52d864';
let service: DevService;
beforeAll(async () => {
  service = await startDevService({ DECISION_SECRET: secret, THROTTLE_FAILURES_BEFORE_DELAY: '2' });
});
afterAll(() => service.stop());

/** Samples by their name and labels. */
async function readFigures(): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** What grew by how much while the work was done. */
async function growthOf(work: () => Promise<unknown>, prefix: string): Promise<Record<string, number>> {
  const before = await readFigures();
  await work();
  const after = await readFigures();
  return Object.fromEntries(
    [...after]
      .filter(([name, value]) => name.startsWith(prefix) && value !== before.get(name))
      .map(([name, value]) => [name.slice(prefix.length), value - (before.get(name) ?? 0)]),
  );
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const decisions = 'portcullis_decisions_total';
const ask = (headers: Record<string, string>) =>
  fetch(`http://127.0.0.1:${service.decisionPort}/forward-auth`, { headers });
const original = { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/orders' };

it('counts a refused request once, under its reason', async () => {
  expect(await growthOf(() => service.send('/api/v1/user/profile'), decisions)).toEqual({
    '{listener="public",result="token_missing"}': 1,
  });
  expect(await growthOf(() => service.send('/api/v1/users', bearer('a.b.c')), decisions)).toEqual({
    '{listener="public",result="token_malformed"}': 1,
  });
});

it('counts an allowed request once, and no request without a decision', async () => {
  const token = await service.logIn();
  expect(await growthOf(() => service.send('/api/v1/users', bearer(token)), decisions)).toEqual({
    '{listener="public",result="allow"}': 1,
  });
  expect(await growthOf(() => service.send('/api/v1/getCaptcha'), decisions)).toEqual({});
  expect(await growthOf(() => service.send('/nowhere'), decisions)).toEqual({});
});

it('counts requests of gateways separately, and gateways with a wrong secret', async () => {
  const token = await service.logIn();
  const known = { ...original, 'x-portcullis-secret': secret };
  expect(await growthOf(() => ask({ ...known, authorization: `Bearer ${token}` }), decisions)).toEqual({
    '{listener="decision",result="allow"}': 1,
  });
  expect(await growthOf(() => ask(known), decisions)).toEqual({
    '{listener="decision",result="token_missing"}': 1,
  });
  expect(await growthOf(() => ask(original), 'portcullis_decision')).toEqual({ _bad_requests_total: 1 });
});

it('counts the wait, the revision and the ended token of a logout', async () => {
  const token = await service.logIn();
  const logOut = () => service.send('/api/v1/logout', { method: 'POST', ...bearer(token) });
  const growth = await growthOf(logOut, 'portcullis_');
  expect(growth).toMatchObject({
    barrier_wait_seconds_count: 1,
    revision_enforced: 1,
    revision_newest: 1,
    revoked_tokens: 1,
  });
});

it('counts attempts that the throttle refuses as failed logins', async () => {
  const guess = async () => {
    for (let count = 0; count < 2; count += 1) await service.logIn('wrong');
    // At once, because the first wait is over after five seconds.
    await Promise.all([service.logIn('wrong'), service.logIn('wrong')]);
  };
  const growth = await growthOf(guess, 'portcullis_');
  expect(growth).toMatchObject({
    'logins_total{outcome="failure",reason="credentials_wrong"}': 2,
    'logins_total{outcome="failure",reason="throttled"}': 2,
    throttled_attempts_total: 2,
    login_duration_seconds_count: 4,
  });
});

it('holds a lease, has connections and nothing that waits', async () => {
  const figures = await readFigures();
  expect(figures.get('portcullis_lease_valid')).toBe(1);
  expect(figures.get('portcullis_lease_remaining_seconds')).toBeGreaterThan(0);
  expect(figures.get('portcullis_ready')).toBe(1);
  expect(figures.get('portcullis_cluster_members')).toBe(1);
  expect(figures.get('portcullis_postgres_connections{state="idle"}')).toBeGreaterThan(0);
  expect(figures.get('portcullis_synchronous_standbys{expected="false"}')).toBe(0);
  expect(figures.get('portcullis_password_hashes_waiting')).toBe(0);
  expect(figures.get('portcullis_password_hashes_running')).toBe(0);
  expect(
    [...figures.keys()].filter((name) => /^portcullis_build_info\{version="\d.*",mode="dev"\}$/.test(name)),
  ).toHaveLength(1);
});
