// docs/explanation/security.md: administration that is passed on. Each attack is beside a call that differs in one thing
// and succeeds.
import { beforeAll, describe, expect, it } from 'vitest';
import { isJudged } from '../rig/judges-times.ts';
import { useService } from '../rig/use-service.ts';
import { type Bank, openBank } from './delegation/branch-office.ts';

const service = useService({ mode: 'prod' });
let bank: Bank;
beforeAll(async () => {
  bank = await openBank(service());
});
const role = (name: keyof Bank['roleIds'], rest = '') => `/roles/${bank.roleIds[name]}${rest}`;
const user = (name: keyof Bank['ids'], rest = '') => `/users/${bank.ids[name]}${rest}`;
const scope = (dataScope: string) => ({ dataScope });

describe('T119 a branch manager who', () => {
  const inBranch = ['boris', 'tomas', 'trude'];
  const inHead = ['hanna', 'helen', 'olga', 'tilda'];

  /** Everybody on every page, and every text of the answers. */
  async function ask(who: 'boris' | 'hanna' | 'admin', path: string) {
    const names: string[] = [];
    let texts = '';
    let count: unknown;
    for (let [after, pages] = ['', 0]; pages < 20; pages += 1) {
      const { body, text } = await bank.send(
        who,
        'GET',
        `/routes/callers?method=GET&limit=1&path=${path}${after && `&after=${after}`}`,
      );
      const data = body.data as { items: { username: string }[]; people: unknown; next: string | null };
      names.push(...data.items.map(({ username }) => username));
      texts += text;
      count = data.people;
      if (data.next === null) break;
      after = data.next;
    }
    return { names: names.sort(), texts, count };
  }

  it('asks who can call an endpoint sees no user of head office, by name or by number, and head office does', async () => {
    const seen = await ask('boris', '/accounts');
    expect(seen.names).toEqual(inBranch);
    expect(seen.count).toEqual({ count: 3, more: false });
    for (const name of inHead) expect(seen.texts).not.toContain(name);
    // No user of the branch can: the answer is the same as for an endpoint that no user can call.
    expect(await ask('boris', '/nothing')).toMatchObject({ names: [], count: { count: 0, more: false } });
    const all = await ask('hanna', '/accounts');
    expect(all.names).toEqual([...inBranch, ...inHead].sort());
    expect(all.count).toEqual({ count: 7, more: false });
    expect((await ask('admin', '/nothing')).names).toEqual(['ada']);
  });

  it('continues with the page cursor of a caller with a wider data scope gets nothing beyond the branch', async () => {
    const { body } = await bank.send('hanna', 'GET', '/routes/callers?method=GET&limit=1&path=/accounts');
    const { next } = body.data as { next: string };
    const answer = await bank.send('boris', 'GET', `/routes/callers?method=GET&path=/accounts&after=${next}`);
    for (const name of inHead) expect(answer.text).not.toContain(name);
  });

  it('compares rules gets the number of affected users of the branch, and head office the number of all', async () => {
    const compare = async (who: 'boris' | 'hanna') => {
      const add = [{ method: 'GET', path: '/vault' }];
      const { body } = await bank.send(who, 'POST', role('teller', '/rules/compare'), { add });
      return (body.data as { users: unknown }).users;
    };
    expect(await compare('boris')).toEqual({ count: 1, more: false });
    expect(await compare('hanna')).toEqual({ count: 2, more: false });
  });
});

describe('T102 a branch manager who', () => {
  const widen = () => bank.call('boris', 'PUT', role('teller', '/data-scope'), scope('4'));

  it('gives a role a data scope with the name of his own is refused where tellers are of head office, and allowed where all tellers are his', async () => {
    const seen = async () => (await bank.send('tilda', 'GET', '/user/profile')).body.data;
    const before = await seen();
    const answer = await bank.send('boris', 'PUT', role('teller', '/data-scope'), scope('4'));
    expect(answer.body).toMatchObject({
      code: 401,
      msg: expect.stringMatching(/Ask an administrator, or a colleague/),
    });
    expect(answer.headers['x-auth-reason']).toBe('permission_denied');
    expect(await seen()).toEqual(before);
    await bank.call('admin', 'PUT', user('tilda', '/role'), { roleId: bank.roleIds.officer });
    expect(await widen()).toBe(200);
    // A later holder in head office would see all of head office: he cannot give that either.
    expect(await bank.call('admin', 'PUT', user('tilda', '/role'), { roleId: bank.roleIds.teller })).toBe(
      200,
    );
    expect(await widen()).toBe(401);
    await bank.call('admin', 'PUT', role('teller', '/data-scope'), scope('5'));
  });

  it('gives a role that sees more, or moves a user to a department where it does, is refused, and allowed within the branch', async () => {
    const moveTo = (departmentId: number) => ({ name: 'Tomas', departmentId });
    expect(await bank.call('boris', 'PUT', user('tomas', '/role'), { roleId: bank.roleIds.helpdesk })).toBe(
      401,
    );
    expect(await bank.call('boris', 'PUT', user('tomas', '/role'), { roleId: bank.roleIds.treasurer })).toBe(
      401,
    );
    expect(await bank.call('boris', 'PUT', user('tomas'), moveTo(bank.departments.head))).toBe(404);
    expect(await bank.call('boris', 'PUT', user('tomas', '/role'), { roleId: bank.roleIds.officer })).toBe(
      200,
    );
    expect(await bank.call('boris', 'PUT', user('tomas'), moveTo(bank.departments.branch))).toBe(200);
    expect(await bank.call('boris', 'PUT', user('tomas'), moveTo(bank.departments.desk))).toBe(200);
    expect(await bank.call('boris', 'PUT', user('tomas', '/role'), { roleId: bank.roleIds.teller })).toBe(
      200,
    );
  });

  it('moves a department under a user with more permissions is refused, and allowed elsewhere', async () => {
    const { branch, desk } = bank.departments;
    const made = await bank.send('boris', 'POST', '/departments', { name: 'Vault', parentId: branch });
    const vault = (made.body.data as { id: number }).id;
    const move = (parentId: number) =>
      bank.call('boris', 'PUT', `/departments/${vault}`, { name: 'Vault', parentId });
    await bank.call('admin', 'PUT', role('treasurer', '/data-scope'), scope('4'));
    expect(await move(desk)).toBe(401);
    await bank.call('admin', 'PUT', role('treasurer', '/data-scope'), scope('3'));
    expect(await move(desk)).toBe(200);
    expect(await bank.call('boris', 'DELETE', `/departments/${vault}`)).toBe(200);
  });
});

describe('T103 revoking', () => {
  const strip = { remove: [{ method: 'GET', path: '/accounts' }] };

  it('from a role of head office is refused to the branch, and not to head office', async () => {
    const { body: shown } = await bank.send('admin', 'GET', role('officer', '/rules'));
    const { revision } = shown.data as { revision: number };
    const changes = [
      ['POST', role('officer', '/rules'), strip],
      ['PUT', role('officer', '/data-scope'), scope('5')],
      ['PUT', role('officer', '/enabled'), { enabled: false }],
      ['PUT', role('officer'), { name: 'Nobody', dataScope: '3' }],
      ['DELETE', role('officer'), undefined],
    ] as const;
    for (const [method, path, body] of changes)
      expect(await bank.call('boris', method, path, body), `${method} ${path}`).toBe(401);
    for (const [method, path, body] of changes.slice(0, 4))
      expect(await bank.call('hanna', method, path, body), `${method} ${path}`).toBe(200);
    await bank.call('admin', 'PUT', role('officer', '/enabled'), { enabled: true });
    expect(await bank.call('boris', 'POST', role('officer', '/rules/rollback'), { revision })).toBe(401);
    expect(await bank.call('hanna', 'POST', role('officer', '/rules/rollback'), { revision })).toBe(200);
  });

  it('rules that the caller lacks is refused, and the others allowed', async () => {
    const rule = (method: string, path: string) => ({ remove: [{ method, path }] });
    expect(await bank.call('boris', 'POST', role('treasurer', '/rules'), rule('POST', '/transfers'))).toBe(
      401,
    );
    expect(await bank.call('boris', 'PUT', role('treasurer', '/enabled'), { enabled: false })).toBe(401);
    expect(await bank.call('boris', 'POST', role('treasurer', '/rules'), rule('GET', '/accounts'))).toBe(200);
  });

  it('from a user with more rights than the help desk is refused: no session, no password, no account', async () => {
    const [ada] = await service().database.query<{ id: string }>(
      `select id from users where username = 'ada'`,
    );
    const [session] = await service().database.query<{ jti: string }>(
      `select jti from sessions where user_id = $1`,
      [ada?.id],
    );
    const of = (id: string) =>
      [
        ['DELETE', `/users/${id}/sessions`, undefined],
        ['PUT', `/users/${id}/password`, {}],
        ['PUT', `/users/${id}/enabled`, { enabled: false }],
        ['DELETE', `/users/${id}`, undefined],
      ] as const;
    for (const id of [String(ada?.id), String(bank.ids.trude)])
      for (const [method, path, body] of of(id))
        expect(await bank.call('helen', method, path, body), `${method} ${path}`).toBe(401);
    expect(await bank.call('helen', 'DELETE', `/sessions/${session?.jti}`)).toBe(401);
    expect(await bank.call('helen', 'DELETE', '/sessions')).toBe(401);
    expect(await bank.call('admin', 'GET', '/roles')).toBe(200);
    for (const [method, path, body] of of(String(bank.ids.tomas)))
      expect(await bank.call('helen', method, path, body), `${method} ${path}`).toBe(200);
  });
});

describe('T104 rules that make a comparison take milliseconds', () => {
  const places = 11;
  /** A literal or a parameter at each place: a path of those literals is looked for in 2,048 ways. */
  const crafted = Array.from({ length: 2 ** places }, (_, mask) => ({
    method: 'GET',
    path: `/${Array.from({ length: places }, (_, place) => ((mask >> place) & 1 ? ':x' : 'a')).join('/')}/z`,
  }));
  const given = Array.from({ length: 999 }, (_, index) => ({
    method: '*',
    path: `${'/a'.repeat(places)}/b${index}`,
  }));

  it('delay no other caller, and a call that needs too many of them is refused', async () => {
    const rules = (add: object[]) => bank.call('admin', 'POST', role('manager', '/rules'), { add });
    for (const from of [0, 1000, 2000]) expect(await rules(crafted.slice(from, from + 1000))).toBe(200);
    expect(await rules([{ method: '*', path: '/:x'.repeat(places + 1) }])).toBe(200);
    const asked = (add: object[]) => bank.call('boris', 'POST', role('teller', '/rules'), { add });
    await bank.call('admin', 'PUT', user('tilda', '/role'), { roleId: bank.roleIds.officer });
    expect(await asked(given.slice(0, 20))).toBe(200);

    let isAsking = true;
    const answer = asked(given.slice(20)).finally(() => {
      isAsking = false;
    });
    let others = 0;
    for (; isAsking; others += 1) expect(await bank.call('tilda', 'GET', '/user/profile')).toBe(200);
    expect(await answer).toBe(401);
    console.log(`${others} others were answered meanwhile`);
    const isMany = isJudged('how many calls are answered beside one with costly rules');
    expect(others).toBeGreaterThan(isMany ? 10 : 0);
  });
});
