// Roles and rules as an administrator works with them, against the running service: giving, comparing and revoking rules,
// and that a caller cannot give a rule beyond the caller's own.
import { type Client, type ClientError, createClient } from '@portcullis/client';
import { errorTable } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import type { Username } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';

const [adminRole, clerk, auditor, guest] = [1, 2, 3, 5];
const rule = (text: string) => {
  const [method = '', path = ''] = text.split(' ');
  return { method, path };
};
const kindOf = (call: Promise<unknown>) =>
  call.then(
    () => 'served',
    ({ kind }: ClientError) => kind,
  );

describe('with roles of the rig', () => {
  const service = useService({ mode: 'prod' });

  async function clientOf(username: Username): Promise<Client> {
    const client = createClient({ baseUrl: `http://127.0.0.1:${service().server.port}` });
    client.tokenStore.set(await service().tokenOf(username));
    return client;
  }

  it('compares a rule, gives it on its revision, and revokes it without a logout [authentication-5d]', async () => {
    const [ada, gina] = [await clientOf('ada'), await clientOf('gina')];
    const params = { id: guest };
    const add = [rule('GET /api/v1/keys')];
    expect(await kindOf(gina.listKeys())).toBe('not_allowed');
    const { data: comparison } = await ada.compareRules({ params, body: { add } });
    expect(comparison).toMatchObject({
      gains: add,
      losses: [],
      routes: {
        gained: { count: 1, items: [{ ...add[0], service: 'portcullis', before: 'none', after: 'all' }] },
        lost: { count: 0 },
      },
      users: { count: 1, more: false },
    });
    const { revision } = comparison;
    await ada.changeRules({ params, body: { add, ifRevision: revision } });
    // A change that only gives does not wait for the instances.
    await eventually(() => kindOf(gina.listKeys())).toBe('served');
    expect(await kindOf(ada.changeRules({ params, body: { remove: add, ifRevision: revision } }))).toBe(
      'conflict',
    );
    await ada.rollbackRules({ params, body: { revision } });
    expect(await kindOf(gina.listKeys())).toBe('not_allowed');
    expect((await gina.getInfo()).data.userName).toBe('gina');
    const { data: history } = await ada.listRuleHistory({ params });
    expect(history.items).toMatchObject([
      { removed: { count: 1, items: add }, rolledBackTo: revision, by: { username: 'ada' } },
      { added: { count: 1, items: add }, rolledBackTo: null },
    ]);
  });

  it('refuses a rule or a role beyond those of the caller, except to admin [authentication-5d]', async () => {
    const [ada, carl] = [await clientOf('ada'), await clientOf('carl')];
    const own = ['* /api/v1/roles', 'POST /api/v1/roles/:id/rules', 'PUT /api/v1/roles/:id/enabled'].map(
      rule,
    );
    await ada.changeRules({ params: { id: clerk }, body: { add: own } });
    await eventually(() => kindOf(carl.listRoles())).toBe('served');
    const add = (id: number, ...texts: string[]) =>
      kindOf(carl.changeRules({ params: { id }, body: { add: texts.map(rule) } }));
    expect(await add(guest, 'GET /api/v1/orders', 'GET /api/v1/keys')).toBe('not_allowed');
    expect(await add(guest, 'GET /api/v1/*')).toBe('not_allowed');
    expect(await add(guest, '* /api/v1/orders')).toBe('not_allowed');
    expect(await add(auditor, 'GET /api/v1/reports/*')).toBe('not_allowed');
    expect(await add(adminRole, 'GET /api/v1/orders')).toBe('conflict');
    const enable = (id: number) => kindOf(carl.setRoleEnabled({ params: { id }, body: { enabled: true } }));
    expect(await enable(auditor)).toBe('not_allowed');
    expect(await add(guest, 'GET /api/v1/orders', 'GET /api/v1/orders/7')).toBe('served');
    expect(await enable(guest)).toBe('served');
    const create = (roleKey: string, dataScope: '1' | '3') =>
      kindOf(carl.createRole({ body: { roleKey, name: roleKey, dataScope } }));
    expect([await create('wide', '1'), await create('adm1n', '3'), await create('packer', '3')]).toEqual([
      'not_allowed',
      'conflict',
      'served',
    ]);
  });

  it('refuses a rename on an older revision with 409 and the difference, and widens nothing [authentication-5d]', async () => {
    const [ada, other] = [await clientOf('ada'), await clientOf('ada')];
    const { data } = await ada.createRole({ body: { roleKey: 'seller', name: 'Seller', dataScope: '1' } });
    const params = { id: data.id };
    const { data: seen } = await ada.getRole({ params });
    await other.changeRole({ params, body: { dataScope: '5', ifRevision: seen.revision } });
    const stale = { name: 'Sales', dataScope: seen.dataScope, ifRevision: seen.revision };
    const refusal = await ada.changeRole({ params, body: stale }).catch((error: ClientError) => error);
    expect(refusal).toMatchObject({
      kind: 'conflict',
      status: 200,
      code: 409,
      msg: errorTable.revision_conflict.text.en,
      details: { current: { name: 'Seller', dataScope: '5', departmentIds: [], enabled: true } },
    });
    const { data: kept } = await ada.getRole({ params });
    expect(kept).toMatchObject({ name: 'Seller', dataScope: '5' });
    await ada.changeRole({ params, body: { name: 'Sales', ifRevision: kept.revision } });
    expect((await ada.getRole({ params })).data).toMatchObject({ name: 'Sales', dataScope: '5' });
    // A client of an earlier version sends everything, and names no revision.
    await ada.changeRole({ params, body: { name: 'Seller', dataScope: '3' } });
    expect((await ada.getRole({ params })).data).toMatchObject({ name: 'Seller', dataScope: '3' });
  });

  it('deletes the rules of a role with it, so that a later role of the same key has none [authentication-5d]', async () => {
    const ada = await clientOf('ada');
    const create = async () =>
      (await ada.createRole({ body: { roleKey: 'porter', name: 'Porter', dataScope: '5' } })).data.id;
    const first = await create();
    await ada.changeRules({ params: { id: first }, body: { add: [rule('GET /api/v1/keys')] } });
    await ada.deleteRole({ params: { id: first } });
    const second = await create();
    expect(second).not.toBe(first);
    await ada.setUserRole({ params: { id: 5 }, body: { roleId: second } });
    const { body } = await service().logIn('gina');
    const gina = createClient({ baseUrl: `http://127.0.0.1:${service().server.port}` });
    gina.tokenStore.set(String(body.token));
    expect(await kindOf(gina.listKeys())).toBe('not_allowed');
    expect(await kindOf(ada.deleteRole({ params: { id: second } }))).toBe('conflict');
  });
});
