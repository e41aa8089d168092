// docs/explanation/security.md: roles, policy and exclusion list. T56 is held by the conformance of the start and by the table of
// all routes, T58 by guard-faults.test.ts, T59 and T60 by the chaos scenarios.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectRefusalBody } from '../conformance/expect-refusal.ts';
import { Random } from '../fuzz/random.ts';
import { isJudged } from '../rig/judges-times.ts';
import { password, type Username, users } from '../rig/seed.ts';
import { decodeToken, expiredClaims, signToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { expectStartRefused } from './configuration/start-refused.ts';
import { everyNth } from './paths/every-nth.ts';
import { bytesOf } from './paths/probe.ts';
import { sendAll } from './paths/raw-client.ts';
import { dueFor, excluded, protectedRoutes, servedRoutes } from './paths/routes.ts';
import { forceChanges } from './paths/stored-patterns.ts';
import { fields, injection, injectionCount } from './roles/injections.ts';
import { adminLookAlikes, strangeRoleKeys } from './roles/look-alikes.ts';
import { productPatience, size } from './size.ts';

// With the product's own limits: SQL that sleeps meets them.
const service = useService({ mode: 'prod', settings: productPatience });

/** A token of the user that the service's own key signs, with other claims. */
async function signed(username: Username, claims: object): Promise<string> {
  const jti = randomBytes(16).toString('base64url');
  return signToken({ ...(await service().claimsOf(username)), jti, ...claims }, await service().signingKey());
}

/** Rows that must not have changed: every row that decides about access. */
async function readAccess(): Promise<unknown> {
  const tables = ['users', 'roles', 'rules', 'departments', 'role_departments', 'keys', 'revocations'];
  return await Promise.all(
    tables.map((table) => service().database.query(`select t::text as row from ${table} t order by 1`)),
  );
}

describe('T53 a role key that only looks like admin', () => {
  it('is refused by the database, new or renamed', async () => {
    expect(new Set(adminLookAlikes).size).toBeGreaterThanOrEqual(60);
    const { database } = service();
    for (const key of [...adminLookAlikes, 'admin']) {
      const insert = database.query(`insert into roles (role_key, name) values ($1, 'x')`, [key]);
      await expect(insert, JSON.stringify(key)).rejects.toThrow();
      const rename = database.query('update roles set role_key = $1 where id = 5', [key]);
      await expect(rename, JSON.stringify(key)).rejects.toThrow();
    }
    await expect(database.query(`update roles set id = 1 where id = 5`)).rejects.toThrow();
    expect(await database.query(`select id from roles where role_key = 'admin'`)).toHaveLength(1);
  });

  it('gets no bypass by a token that carries it, of that role or of the administrator', async () => {
    const before = await service().countEntries();
    for (const rolekey of [...adminLookAlikes, 'admin'])
      for (const roleid of [5, 1]) {
        if (rolekey === 'admin' && roleid === 1) continue;
        const token = await signed('gina', { rolekey, roleid });
        const headers = { authorization: `Bearer ${token}` };
        expectRefusalBody(await service().send({ path: '/api/v1/orders', headers }));
      }
    expect(await service().countEntries(), 'handlers entered').toBe(before);
  });
});

describe('T54 a role key that every object has, or that means everything, opens no route', () => {
  const routes = protectedRoutes.map(({ method, path }) => ({ method, target: path }));

  it('by a token that carries it', async () => {
    const before = await service().countEntries();
    for (const rolekey of strangeRoleKeys) {
      const token = await signed('gina', { rolekey });
      const answers = await sendAll(
        service().server.port,
        routes.map((line) => bytesOf(line, token)),
      );
      expect(
        answers.filter(({ status, code }) => status !== 200 || code !== 401),
        rolekey,
      ).toEqual([]);
    }
    expect(await service().countEntries(), 'handlers entered').toBe(before);
  });

  it.each(['constructor', 'prototype', 'null', 'undefined'])('by a role that has it: %s', async (roleKey) => {
    const { database, server } = service();
    const [role] = await database.query<{ id: string }>(
      'insert into roles (role_key, name) values ($1, $1) returning id',
      [roleKey],
    );
    await forceChanges(database, [{ kind: 'role_set', id: Number(role?.id), roleKey, dataScope: '5' }]);
    const token = await signed('gina', { rolekey: roleKey, roleid: Number(role?.id) });
    const ask = () =>
      sendAll(
        server.port,
        routes.map((line) => bytesOf(line, token)),
      );
    const reasonsOf = async () => [...new Set((await ask()).map(({ reason }) => reason))];
    const before = await service().countEntries();
    // Until the instance knows the role, the token is none.
    await expect.poll(reasonsOf, { timeout: 120_000 }).toEqual(['permission_denied']);
    expect(await service().countEntries(), 'handlers entered').toBe(before);
  });
});

describe('T55 the exclusion list', () => {
  it('opens to a role without a rule nothing but what it lists', async () => {
    const open: string[] = [];
    let token = '';
    for (const { method, template, path } of servedRoutes.filter(({ access }) => access === 'permission')) {
      if (token === '') token = String((await service().logIn('gina')).body.token);
      const { headers } = await service().send({
        method,
        path,
        headers: { authorization: `Bearer ${token}` },
      });
      if (headers['x-auth-reason'] === 'permission_denied') continue;
      open.push(`${method} ${template}`);
      // It may have ended the token that it was asked with.
      token = '';
    }
    const listed = excluded.filter((entry) => /logout|profile/.test(entry));
    expect(open.toSorted()).toEqual(listed.toSorted());
  });

  it('that names a business endpoint, as the one that changes a user, stops the start', async () => {
    const entries = [...excluded, 'PUT /api/v1/users/:id/role'];
    await expectStartRefused(
      { DATABASE_URL: service().database.url, PERMISSION_EXCLUSIONS: JSON.stringify(entries) },
      /exclusions.*PUT \/api\/v1\/users\/:id\/role.*business endpoint/,
    );
  });
});

it('T57 identity comes before permission, and both before the handler', async () => {
  const random = new Random(57);
  const claims = await service().claimsOf('ada');
  const bad = {
    none: 'x',
    forged: `${(await service().tokenOf('ada')).slice(0, -8)}AAAAAAAA`,
    expired: signToken(expiredClaims(claims), await service().signingKey()),
    'of another epoch': await signed('carl', { ep: -1 }),
  };
  const good = { gina: await service().tokenOf('gina'), carl: await service().tokenOf('carl') };
  // What a good token of carl opens is counted; the handler that fails on purpose counts as well.
  const routes = servedRoutes.filter(({ path, access }) => access !== 'public' && !path.endsWith('/logout'));
  const body = JSON.stringify({ item: 'x', count: 1 });
  const requests = random.list(size({ small: 1000, full: 10_000 }), () => {
    const { method, path, template } = random.pick(routes);
    const who = random.pick([...Object.keys(bad), ...Object.keys(good)]);
    const token = { ...bad, ...good }[who] ?? '';
    const line = { method, target: path, ...(method === 'GET' || method === 'DELETE' ? {} : { body }) };
    return { who, due: dueFor(who === 'carl' ? 'clerk' : 'guest', method, path), line, token, template };
  });
  const before = await service().countEntries();
  const answers = await sendAll(
    service().server.port,
    requests.map(({ line, token }) => bytesOf(line, token)),
  );
  const wrong = requests.flatMap(({ who, due, line }, index) => {
    const { reason = '', code = 0 } = answers[index] ?? {};
    if (who in bad) return reason.startsWith('token_') && code === 401 ? [] : [{ who, line, reason }];
    return (reason === 'permission_denied') === (due === 'denied') ? [] : [{ who, line, reason }];
  });
  expect(wrong).toEqual([]);
  const ours = /^\/api\/v1\/(orders|context|faults|notices|bulletins|reports)/;
  const expected = requests.filter(
    ({ who, due, line }) => who in good && due === 'open' && ours.test(line.target),
  );
  expect(expected.length).toBeGreaterThan(0);
  expect((await service().countEntries()) - before, 'handlers entered').toBe(expected.length);
});

describe('T61 claims of a caller about himself', () => {
  const claimed = {
    dataScope: '1',
    roleKey: 'admin',
    userId: 1,
    roleId: 1,
    username: 'ada',
    caller: { roleKey: 'admin' },
  };
  const query = 'dataScope=1&roleKey=admin&userId=1&roleId=1&username=ada&caller[roleKey]=admin';
  const claimedHeaders = {
    'x-user-id': '1',
    'x-role-key': 'admin',
    'x-data-scope': '1',
    'x-forwarded-user': 'ada',
  };

  it.each(['gina', 'carl', 'alba'] as const)('do not reach the handler (%s)', async (username) => {
    const headers = { authorization: `Bearer ${await service().tokenOf(username)}`, ...claimedHeaders };
    const claims = await service().claimsOf(username);
    const { body } = await service().send({ path: `/api/v1/context?${query}`, headers });
    const { identity: userId, roleid: roleId, rolekey: roleKey, nice, datascope: dataScope } = claims;
    expect(body.data).toEqual({ userId, roleId, roleKey, username: nice, dataScope });
  });

  it('changes no decision on any endpoint, and nothing in the store', async () => {
    const before = await readAccess();
    const routes = servedRoutes.filter(
      ({ method, path }) => method !== 'POST' || !/logout|waits|login|faults/.test(path),
    );
    for (const username of ['gina', 'carl'] as const) {
      const { role } = users.find((user) => user.username === username) ?? { role: '' };
      const headers = { authorization: `Bearer ${await service().tokenOf(username)}`, ...claimedHeaders };
      for (const { method, path } of routes) {
        const body =
          method === 'GET' || method === 'DELETE' ? {} : { body: { item: 'x', count: 1, ...claimed } };
        const answer = await service().send({ method, path: `${path}?${query}`, headers, ...body });
        const isDenied = answer.headers['x-auth-reason'] === 'permission_denied';
        expect(isDenied, `${username} ${method} ${path}`).toBe(dueFor(role, method, path) === 'denied');
      }
    }
    expect(await readAccess()).toEqual(before);
  });

  it('at login does not change what is issued', async () => {
    const captcha = await service().solvedCaptcha();
    const { body } = await service().postLogin({ ...claimed, ...captcha, username: 'gina', password });
    // A login with fields that it does not know may be refused altogether.
    const issued =
      typeof body.token === 'string' ? decodeToken(body.token).claims : await service().claimsOf('gina');
    expect(issued).toMatchObject({ rolekey: 'guest', datascope: '5', nice: 'gina' });
  });

  it('are not stored with a change that an administrator makes', async () => {
    const read = () =>
      service().database.query('select role_id, enabled from users where username = $1', ['bela']);
    const before = await read();
    const [row] = await service().database.query<{ id: string }>(
      `select id from users where username = 'bela'`,
    );
    const headers = { authorization: `Bearer ${await service().tokenOf('ada')}` };
    const body = { enabled: true, ...claimed, role_id: 1 };
    await service().send({ method: 'PUT', path: `/api/v1/users/${row?.id}/enabled`, headers, body });
    expect(await read()).toEqual(before);
  });
});

describe('T62 SQL in', () => {
  const perField = size({ small: 15, full: 5000 });
  const names = Object.keys(fields);

  it.each(names)('%s changes neither the store nor the answer', async (name) => {
    const field = fields[name];
    if (field === undefined) throw new Error(`There is no field ${name}.`);
    const headers = { authorization: `Bearer ${await service().tokenOf('ada')}` };
    const send = async (text: string) => {
      const { body, ...request } = field(text, encodeURIComponent(text));
      const captcha = request.path === '/api/v1/login' ? await service().solvedCaptcha() : {};
      const content = body === undefined ? {} : { body: { ...captcha, ...body } };
      return service().send({ ...request, ...content, headers: { ...headers, ...request.headers } });
    };
    const before = await readAccess();
    const twins = new Set<string>();
    for (const text of ['harmless', 'harm less', '!', '/harm!less']) twins.add(kindOf(await send(text)));
    const texts = everyNth(
      Array.from({ length: Math.max(perField, injectionCount) }, (_, index) => index),
      perField,
    ).map(injection);
    const different: string[] = [];
    for (const text of texts) {
      const startedAt = performance.now();
      const kind = kindOf(await send(text));
      // One that sleeps longer than a statement may is answered otherwise as well.
      const isLate =
        isJudged('the time of an answer to an injection') && performance.now() - startedAt > 4000;
      if (!twins.has(kind) || isLate) different.push(`${text}: ${kind}`);
    }
    expect(different, [...twins].join(', ')).toEqual([]);
    expect(await readAccess()).toEqual(before);
  });
});

function kindOf({ status, headers, body }: { status: number; headers: object; body: object }): string {
  const reason = 'x-auth-reason' in headers ? headers['x-auth-reason'] : '';
  return `${status} ${'code' in body ? body.code : ''} ${reason}`;
}
