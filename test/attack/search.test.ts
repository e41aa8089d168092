// docs/explanation/security.md: what a search tells. Each attack is beside a call that differs in one thing and succeeds.
import { beforeAll, describe, expect, it } from 'vitest';
import { useService } from '../rig/use-service.ts';
import { type Bank, openBank, type PersonName } from './delegation/branch-office.ts';

const service = useService({ mode: 'prod' });
let bank: Bank;
beforeAll(async () => {
  bank = await openBank(service());
  for (const [username, department] of [
    ['inside', 'desk'],
    ['outside', 'head'],
  ] as const)
    await bank.call('admin', 'POST', '/users', {
      username,
      name: 'Zelda Quimby',
      departmentId: bank.departments[department],
      roleId: bank.roleIds.teller,
    });
});

async function find(who: PersonName | 'admin', query: string): Promise<string[]> {
  const { body } = await bank.send(who, 'GET', `/users?${query}`);
  return (body.data as { items: { username: string }[] }).items.map(({ username }) => username);
}

describe('T122 a search for people outside the data scope', () => {
  it('finds no user by any prefix of their names, and finds those inside by the same', async () => {
    for (const word of ['zelda', 'quimby'])
      for (let length = 1; length <= word.length; length += 1) {
        const search = word.slice(0, length);
        expect(await find('admin', `search=${search}`)).toEqual(['inside', 'outside']);
        expect(await find('boris', `search=${search}`), search).toEqual(['inside']);
      }
    expect(await find('boris', 'search=outside')).toEqual([]);
    expect(await find('boris', 'search=inside')).toEqual(['inside']);
  });

  it('gets the same answer as a search for an unknown name', async () => {
    const [outside, nobody] = await Promise.all([
      bank.send('boris', 'GET', '/users?search=outside'),
      bank.send('boris', 'GET', '/users?search=nobody'),
    ]);
    expect(outside.body.data).toEqual(nobody.body.data);
    expect(outside.body.data).toEqual({ items: [], next: null });
  });

  it('is not widened by a filter, another word or the page cursor of another caller', async () => {
    const { departments, ids } = bank;
    expect(await find('boris', `search=z&departmentId=${departments.head}`)).toEqual([]);
    expect(await find('boris', `search=z&departmentId=${departments.desk}`)).toEqual(['inside']);
    expect(await find('boris', 'search=zelda+out')).toEqual([]);
    expect(await find('boris', 'search=zelda+in')).toEqual(['inside']);
    const after = Buffer.from(JSON.stringify({ id: ids.hanna, nth: 0 })).toString('base64url');
    expect(await find('admin', `search=outs&after=${after}`)).toEqual(['outside']);
    expect(await find('boris', `search=outs&after=${after}`)).toEqual([]);
  });

  it('finds who has moved in, and no longer who has moved out, when the call returns', async () => {
    const [row] = await service().database.query<{ id: number }>(
      `select id::int from users where username = 'outside'`,
    );
    const move = (department: 'head' | 'desk') =>
      bank.call('admin', 'PUT', `/users/${row?.id}`, { departmentId: bank.departments[department] });
    expect(await move('desk')).toBe(200);
    expect(await find('boris', 'search=q')).toEqual(['inside', 'outside']);
    expect(await move('head')).toBe(200);
    expect(await find('boris', 'search=q')).toEqual(['inside']);
  });
});
