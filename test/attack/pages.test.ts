// docs/explanation/security.md: what lies outside the data scope, asked for by the number of its page. Each attack is beside a
// call that differs in one thing and succeeds.
import { beforeAll, describe, expect, it } from 'vitest';
import { rulesInForce } from '../rig/rules-in-force.ts';
import { useService } from '../rig/use-service.ts';
import { type Bank, openBank } from './delegation/branch-office.ts';

const service = useService({ mode: 'prod' });
let bank: Bank;
beforeAll(async () => {
  bank = await openBank(service());
});
const dataOf = async (...request: Parameters<Bank['send']>) => (await bank.send(...request)).body.data;

describe('T120 a branch manager', () => {
  it.each(['', '/activity', '/access'])(
    'opens /users/:id%s of no user at head office, and of users of the branch',
    async (page) => {
      expect(await bank.call('boris', 'GET', `/users/${bank.ids.tilda}${page}`)).toBe(404);
      expect(await bank.call('boris', 'GET', `/users/4711${page}`)).toBe(404);
      expect(await bank.call('boris', 'GET', `/users/${bank.ids.tomas}${page}`)).toBe(200);
    },
  );

  it('opens no department above his own, and his own without the name of its parent', async () => {
    const { head, branch, desk } = bank.departments;
    expect(await bank.call('boris', 'GET', `/departments/${head}`)).toBe(404);
    expect(await bank.call('boris', 'GET', `/departments/${desk}`)).toBe(200);
    expect(await dataOf('boris', 'GET', `/departments/${branch}`)).toMatchObject({ parentName: null });
    expect(await dataOf('hanna', 'GET', `/departments/${branch}`)).toMatchObject({ parentName: 'Head' });
  });

  it('opens no session of head office, and one of the branch', async () => {
    for (const [who, code] of [
      ['tilda', 404],
      ['tomas', 200],
    ] as const) {
      const jti = who.padEnd(22, 'x');
      await service().database.query(
        `insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at)
         select $1, users.id, 'teller', kid, users.epoch, now(), now() + interval '1 hour' from keys, users
         where signing and not dev and users.id = $2`,
        [jti, bank.ids[who]],
      );
      expect(await bank.call('boris', 'GET', `/sessions/${jti}`)).toBe(code);
      expect(await bank.call('hanna', 'GET', `/sessions/${jti}`)).toBe(200);
    }
  });

  it('sees in an activity no change that head office made, which head office sees', async () => {
    const enabled = `/users/${bank.ids.trude}/enabled`;
    expect(await bank.call('admin', 'PUT', enabled, { enabled: false })).toBe(200);
    const changes = async (who: 'boris' | 'admin') => {
      const data = await dataOf(who, 'GET', `/users/${bank.ids.trude}/activity`);
      return (data as { items: { change: { action: string } | null }[] }).items.map(
        ({ change }) => change?.action,
      );
    };
    expect(await changes('boris')).toEqual([]);
    expect(await changes('admin')).toEqual(['user.disable', 'user.create']);
  });
});

describe('T121 a record of a user who has left the branch', () => {
  it('has no name for the branch manager who made it, and one for head office', async () => {
    const { tomas } = bank.ids;
    const add = [{ method: 'GET', path: '/api/v1/audit' }];
    expect(await bank.call('admin', 'POST', `/roles/${bank.roleIds.manager}/rules`, rulesInForce(add))).toBe(
      200,
    );
    expect(await bank.call('boris', 'PUT', `/users/${tomas}/enabled`, { enabled: false })).toBe(200);
    const names = async (who: 'boris' | 'admin') => {
      const data = await dataOf(who, 'GET', `/audit?action=user.disable&target=user%20${tomas}`);
      return (data as { items: { names: object }[] }).items.map((item) => item.names);
    };
    expect(await names('boris')).toEqual([{ [`user ${tomas}`]: 'tomas' }]);
    const departmentId = bank.departments.head;
    expect(await bank.call('admin', 'PUT', `/users/${tomas}`, { departmentId })).toBe(200);
    expect(await names('boris')).toEqual([{}]);
    expect(await names('admin')).toEqual([{ [`user ${tomas}`]: 'tomas' }]);
  });
});

/** For a difference that a second call no longer shows: the first file, a second one, what Postgres stores, and what the service wrote. */
async function describeDifference(first: string): Promise<string> {
  const { status, headers, text: second } = await bank.send('boris', 'GET', '/audit/export');
  const stored = await service().database.query(
    `select audit_log.id, audit_log.xmin::text, actor_id, users.id as user_id, department_id
     from audit_log left join users on users.id = actor_id where actor_id = $1`,
    [bank.ids.boris],
  );
  const written = service().server.process.output.slice(-2000);
  return JSON.stringify({ first, second, status, headers, stored, written }, null, 2);
}

describe('T121 a file of the audit log', () => {
  it('has the records of the list for the branch manager, and no change by head office', async () => {
    const add = [{ method: 'GET', path: '/api/v1/audit/export' }];
    expect(await bank.call('admin', 'POST', `/roles/${bank.roleIds.manager}/rules`, rulesInForce(add))).toBe(
      200,
    );
    const read = async (who: 'boris' | 'admin') => {
      const { items } = (await dataOf(who, 'GET', '/audit?limit=100')) as { items: { id: string }[] };
      const { text } = await bank.send(who, 'GET', '/audit/export');
      expect(text).toMatch(/^\ufeff?id,at,/);
      const lines = text.trimEnd().split('\r\n').slice(1);
      return { listed: items.map(({ id }) => id), exported: lines.map((line) => line.slice(0, 36)), text };
    };
    const [branch, office] = [await read('boris'), await read('admin')];
    const isEqual = String(branch.exported) === String(branch.listed);
    expect(branch.exported, isEqual ? '' : await describeDifference(branch.text)).toEqual(branch.listed);
    expect(branch.exported.length).toBeGreaterThan(0);
    expect(branch.text).not.toContain(',admin,');
    expect(office.exported).toEqual(expect.arrayContaining(branch.exported));
    expect(office.text).toContain(',admin,');
  });
});
