// docs/explanation/security.md: asking for access, and what an answer gives. Each attack is beside a call that differs in one
// thing and succeeds.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rulesInForce } from '../rig/rules-in-force.ts';
import { useService } from '../rig/use-service.ts';
import { type Bank, openBank, type PersonName } from './delegation/branch-office.ts';

const service = useService({ mode: 'prod' });
let bank: Bank;
beforeAll(async () => {
  bank = await openBank(service());
  const add = (
    [
      ['GET', '/api/v1/access-requests'],
      ['POST', '/api/v1/access-requests/:id/decision'],
      ['GET', '/accounts/:id'],
    ] as const
  ).map(([method, path]) => ({ method, path }));
  expect(await bank.call('admin', 'POST', `/roles/${bank.roleIds.manager}/rules`, rulesInForce(add))).toBe(
    200,
  );
  await service().database.query(
    `insert into catalog (service, method, path, title) values
       ('bank', 'GET', '/accounts/:id', 'Show an account'), ('bank', 'POST', '/transfers', 'Transfer money')`,
  );
});
beforeEach(async () => {
  await service().database.query('delete from access_requests');
});

interface Answered {
  readonly id: number;
  readonly username: string;
}
const account = { method: 'GET', path: '/accounts/4711', reason: 'A customer asks.', seconds: 3600 };
const transfer = { ...account, method: 'POST', path: '/transfers' };
const ask = (who: PersonName, body: object = {}) =>
  bank.send(who, 'POST', '/user/access-requests', { ...account, ...body });
const idOf = async (who: PersonName, body: object = {}) => {
  const answer = await ask(who, body);
  expect(answer.body.code, answer.text).toBe(200);
  return (answer.body.data as Answered).id;
};
const answer = (who: PersonName | 'admin', id: number, body: object = {}) =>
  bank.call(who, 'POST', `/access-requests/${id}/decision`, { decision: 'approve', seconds: 3600, ...body });
const listed = async (who: PersonName | 'admin', path = '/access-requests') => {
  const { body, text } = await bank.send(who, 'GET', path);
  return { names: (body.data as { items: Answered[] }).items.map(({ username }) => username), text };
};
const rulesOf = (role: keyof Bank['roleIds']) =>
  service().database.query<{ method: string; path: string; left: number }>(
    `select method, path, extract(epoch from ends_at - now())::float8 as left from temporary_rules where role_id = $1`,
    [bank.roleIds[role]],
  );
const forgetRules = async (role: keyof Bank['roleIds']) => {
  const remove = (await rulesOf(role)).map(({ method, path }) => ({ method, path }));
  if (remove.length === 0) return;
  const code = await bank.call('admin', 'POST', `/roles/${bank.roleIds[role]}/temporary-rules`, { remove });
  expect(code).toBe(200);
};

describe('T123 a user who asks for access', () => {
  it('must be signed in', async () => {
    for (const [method, path] of [
      ['POST', '/api/v1/user/access-requests'],
      ['GET', '/api/v1/user/access-requests'],
      ['GET', '/api/v1/access-requests'],
    ] as const) {
      const { body } = await service().send({ method, path, ...(method === 'POST' && { body: account }) });
      expect(body.code).toBe(401);
    }
    expect(await service().database.query('select from access_requests')).toEqual([]);
    await idOf('tomas');
  });

  it('has at most ten open requests, and meets the rate limit after more', async () => {
    const codes: unknown[] = [];
    for (let at = 0; at < 60 && !codes.includes(429); at += 1)
      codes.push((await ask('trude', { path: `/accounts/${at}` })).body.code);
    expect(codes.slice(0, 10)).toEqual(Array(10).fill(200));
    expect(codes.slice(10, 20).filter((code) => code !== 409)).toEqual([]);
    expect(codes).toContain(429);
    expect(await service().database.query('select from access_requests')).toHaveLength(10);
    expect((await ask('olga')).body.code).toBe(200);
  });

  it('reads and withdraws no request of another user', async () => {
    const id = await idOf('tomas', { reason: 'canary-of-tomas' });
    const { text } = await bank.send('tilda', 'GET', '/user/access-requests');
    expect(text).not.toContain('canary');
    expect(await bank.call('tilda', 'DELETE', `/user/access-requests/${id}`)).toBe(404);
    expect(await bank.call('tilda', 'GET', '/access-requests')).toBe(401);
    expect(await answer('tilda', id)).toBe(401);
    expect(await bank.call('tomas', 'DELETE', `/user/access-requests/${id}`)).toBe(200);
  });

  it('is visible to callers whose data scope has the person, and does not exist for the others', async () => {
    await idOf('tomas');
    const outside = await idOf('tilda', { reason: 'canary-of-tilda' });
    const seen = await listed('boris');
    expect(seen.names).toEqual(['tomas']);
    expect(seen.text).not.toContain('canary');
    const refusal = { decision: 'deny', seconds: undefined };
    expect([await answer('boris', outside, refusal), await answer('boris', 99_999, refusal)]).toEqual([
      404, 404,
    ]);
    expect((await listed('hanna')).names).toEqual(['tomas', 'tilda']);
    expect(await answer('hanna', outside, refusal)).toBe(200);
  });

  it('sends text that is shown literally, and asks only for existing endpoints', async () => {
    for (const reason of ['', 'pay\u202eload', 'zero\u200bwidth', 'nul\u0000'])
      expect((await ask('olga', { reason })).body.code, JSON.stringify(reason)).toBe(400);
    for (const path of ['/vault', '/accounts/*', '/accounts/:any', '/*', '/accounts/1/../2', '/accounts/%2a'])
      expect((await ask('olga', { path })).body.code, path).toBe(400);
    const reason = '=HYPERLINK("https://evil.example")<img src=x onerror=alert(1)>';
    const answered = await ask('olga', { reason });
    expect(answered.body.code).toBe(200);
    const shown = await bank.send('admin', 'GET', '/access-requests');
    expect(shown.headers['content-type']).toMatch(/^application\/json/);
    expect((shown.body.data as { items: object[] }).items).toMatchObject([{ reason }]);
  });
});

describe('T124 an answer', () => {
  beforeEach(async () => {
    await forgetRules('teller');
    await forgetRules('manager');
  });

  it('by a caller who sees the person but not all holders of the role gives nothing', async () => {
    const id = await idOf('tomas');
    expect(await answer('boris', id)).toBe(401);
    expect(await rulesOf('teller')).toEqual([]);
    expect(await answer('hanna', id)).toBe(200);
    expect(await rulesOf('teller')).toMatchObject([{ method: 'GET', path: '/accounts/4711' }]);
  });

  it('gives nothing that the giver cannot call, or has only temporarily', async () => {
    const id = await idOf('tomas', transfer);
    expect(await answer('hanna', id)).toBe(401);
    const set = [{ method: 'POST', path: '/transfers', seconds: 3600 }];
    expect(await bank.call('admin', 'POST', `/roles/${bank.roleIds.manager}/temporary-rules`, { set })).toBe(
      200,
    );
    expect(await answer('hanna', id)).toBe(401);
    expect(await rulesOf('teller')).toEqual([]);
    expect(await answer('admin', id)).toBe(200);
  });

  it('gives one call and no other, and for no longer than requested', async () => {
    const id = await idOf('tomas');
    for (const body of [
      { seconds: 3601 },
      { seconds: undefined },
      { path: '/accounts/*' },
      { method: '*' },
      { roleId: 1 },
    ])
      expect(await answer('admin', id, body), JSON.stringify(body)).toBe(400);
    expect(await answer('admin', id, { seconds: 600 })).toBe(200);
    const [rule, ...others] = await rulesOf('teller');
    expect([rule?.method, rule?.path, others]).toEqual(['GET', '/accounts/4711', []]);
    expect(rule?.left).toBeLessThanOrEqual(600);
    const decisionOn = async (path: string) => {
      const { body } = await bank.send('admin', 'GET', `/explain?roleKey=teller&method=GET&path=${path}`);
      return (body.data as { decision: string }).decision;
    };
    expect([await decisionOn('/accounts/4711'), await decisionOn('/accounts/4712')]).toEqual([
      'allow',
      'deny',
    ]);
  });

  it('is stored once of many concurrent ones, and is final', async () => {
    const id = await idOf('tomas');
    const codes = await Promise.all([
      answer('hanna', id),
      answer('admin', id),
      answer('admin', id, { decision: 'deny', seconds: undefined }),
    ]);
    expect(codes.toSorted()).toEqual([200, 409, 409]);
    expect(await answer('admin', id)).toBe(409);
  });

  it('is refused for a request that the asker changed meanwhile', async () => {
    const id = await idOf('tomas');
    await idOf('tomas', { reason: 'Something else.', seconds: 7200 });
    expect(await answer('admin', id, { ifRevision: 1 })).toBe(409);
    expect(await rulesOf('teller')).toEqual([]);
    expect(await answer('admin', id, { ifRevision: 2 })).toBe(200);
  });

  it('does not shorten what others were given', async () => {
    const [longer, shorter] = [await idOf('tilda'), await idOf('tomas', { seconds: 600 })];
    expect(await answer('admin', longer)).toBe(200);
    expect(await answer('admin', shorter, { seconds: 600 })).toBe(409);
    const [rule] = await rulesOf('teller');
    expect(rule?.left).toBeGreaterThan(600);
  });
});
