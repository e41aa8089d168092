// A help desk: users as a clerk works with them who is no administrator, against the running service. Whatever the rules
// allow, a clerk cannot get more permissions than the clerk has.
import { type Client, type ClientError, createClient } from '@portcullis/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { password, type Username, users } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';

const [adminRole, clerk, auditor, guest] = [1, 2, 3, 5];
const chosen = 'lamp orbit velvet ninety';
const idOf = (username: Username) => users.findIndex((user) => user.username === username) + 1;
const paramsOf = (username: Username) => ({ params: { id: idOf(username) } });
const kindOf = (call: Promise<unknown>) =>
  call.then(
    () => 'served',
    ({ kind }: ClientError) => kind,
  );

describe('a clerk who can call every endpoint about users', () => {
  const service = useService({ mode: 'prod' });

  async function clientOf(username: Username): Promise<Client> {
    const client = createClient({ baseUrl: `http://127.0.0.1:${service().server.port}` });
    client.tokenStore.set(await service().tokenOf(username));
    return client;
  }

  let carl: Client;
  beforeAll(async () => {
    const ada = await clientOf('ada');
    carl = await clientOf('carl');
    const add = ['/api/v1/users', '/api/v1/users/*'].map((path) => ({ method: '*', path }));
    await ada.changeRules({ params: { id: clerk }, body: { add } });
    // A change that only gives does not wait for the instances.
    while ((await kindOf(carl.listUsers())) !== 'served');
  });

  it('cannot become an administrator through the account of one [authentication-5d]', async () => {
    const body = { password: chosen };
    expect(await kindOf(carl.setUserPassword({ ...paramsOf('ada'), body }))).toBe('not_allowed');
    expect(await kindOf(carl.setUserPassword({ ...paramsOf('ada'), body: {} }))).toBe('not_allowed');
    expect(await kindOf(carl.setUserEnabled({ ...paramsOf('ada'), body: { enabled: false } }))).toBe(
      'not_allowed',
    );
    expect(await kindOf(carl.deleteUser(paramsOf('ada')))).toBe('not_allowed');
    expect((await service().logIn('ada', password)).body.code).toBe(200);
  });

  it('cannot give a role beyond its own to others, to a new user or to itself [authentication-5d]', async () => {
    const give = (username: Username, roleId: number) =>
      kindOf(carl.setUserRole({ ...paramsOf(username), body: { roleId } }));
    expect(await give('gina', adminRole)).toBe('not_allowed');
    expect(await give('gina', auditor)).toBe('not_allowed');
    expect(await give('carl', adminRole)).toBe('not_allowed');
    expect(await give('carl', guest)).toBe('conflict');
    const create = (roleId: number) =>
      kindOf(carl.createUser({ body: { username: `new-${roleId}`, name: 'New', departmentId: 1, roleId } }));
    expect(await create(adminRole)).toBe('not_allowed');
    expect(await create(auditor)).toBe('not_allowed');
    expect(await create(guest)).toBe('served');
    expect((await service().claimsOf('carl')).rolekey).toBe('clerk');
  });

  it('resets the password of a guest, who then changes it [authentication-5d]', async () => {
    const { data } = await carl.setUserPassword({ ...paramsOf('gina'), body: {} });
    const captcha = await service().solvedCaptcha();
    const gina = createClient({ baseUrl: `http://127.0.0.1:${service().server.port}` });
    await gina.login({ body: { username: 'gina', password: data.password ?? '', ...captcha } });
    expect(await kindOf(gina.listUsers())).toBe('password_change_required');
    const body = { oldPassword: data.password ?? '', newPassword: chosen };
    expect(await kindOf(gina.setOwnPassword({ body }))).toBe('served');
    expect(await kindOf(gina.getInfo())).toBe('signed_out');
    expect((await service().logIn('gina', chosen)).body.code).toBe(200);
  });

  it('sees the users of its department, without their secrets [authentication-5d]', async () => {
    const { data } = await carl.listUsers({ query: { username: 'a' } });
    expect(data.items.map(({ username }) => username)).toEqual(['ada', 'alba']);
    expect(JSON.stringify(data)).not.toMatch(/argon2|hash|epoch/);
  });

  it('sees the activity of a colleague in order of time, and what the colleague can call [authentication-5d]', async () => {
    expect((await service().logIn('bela')).body.code).toBe(200);
    await carl.changeUser({ ...paramsOf('bela'), body: { name: 'Bela B.' } });
    const read = async () => {
      const { data } = await carl.listUserActivity(paramsOf('bela'));
      return data.items.map(({ login, change }) => login?.reason ?? change?.action).slice(0, 2);
    };
    // A record of a login is stored after the answer.
    await eventually(read).toEqual(['user.update', 'ok']);
    expect((await carl.getUser(paramsOf('bela'))).data.lastLogin).toMatchObject({ ip: '127.0.0.1' });
    const { data } = await carl.listUserAccess(paramsOf('carl'));
    expect(data.routes.items).toContainEqual(
      expect.objectContaining({
        method: 'GET',
        path: '/api/v1/users/:id',
        by: 'rule',
        rules: [{ method: '*', path: '/api/v1/users/*' }],
      }),
    );
  });

  it('finds users by any word of their names, and no user of another department [authentication-5d]', async () => {
    const ada = await clientOf('ada');
    const [insider, outsider] = [paramsOf('alba'), paramsOf('dora')];
    const elsewhere = await ada.createDepartment({ body: { name: 'Elsewhere', parentId: null } });
    await ada.changeUser({ ...insider, body: { name: 'Marit Øster' } });
    await ada.changeUser({ ...outsider, body: { name: 'Marit Øster', departmentId: elsewhere.data.id } });
    const find = async (client: Client, search: string) =>
      (await client.listUsers({ query: { search } })).data.items.map(({ id }) => id);
    for (const search of ['øst', 'MARIT', 'ø mar'])
      expect([await find(carl, search), (await find(ada, search)).toSorted()]).toEqual([
        [insider.params.id],
        [insider.params.id, outsider.params.id].toSorted(),
      ]);
    expect(await find(ada, 'ster')).toEqual([]);
  });
});
