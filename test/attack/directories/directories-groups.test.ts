// Threats T211 to T213: groups that become roles, on a real slapd. Beside every refusal is what succeeds; the controls are in
// test/weaknesses/groups.ts.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dnOf, groupDn, groupEntry, personEntry } from '../../rig/slapd.ts';
import { decodeToken } from '../../rig/tokens.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { useDirectoryWorld } from './world.ts';

const world = useDirectoryWorld();
const roleIds = { admin: 1, clerk: 2, auditor: 3, guest: 5 };
const to = (group: string, role: keyof typeof roleIds) => ({
  group,
  roleId: roleIds[role],
  departmentId: null,
});
let providerId = 0;

interface Plan {
  readonly digest: string;
  readonly keepsAdministrator: boolean;
  readonly changes: readonly {
    readonly username: string;
    readonly effect: string;
    readonly reason: string | null;
  }[];
}

async function plan(mappings: readonly object[], roleSource = 'every_login'): Promise<Plan> {
  const body = { mappings, roleSource };
  return (await world().byAdmin('POST', `/providers/${providerId}/mappings/plan`, body)).body.data as Plan;
}
const apply = async (mappings: readonly object[], digest: string, roleSource = 'every_login') =>
  await world().call('PUT', `/providers/${providerId}/mappings`, { mappings, roleSource, digest });
async function set(mappings: readonly object[], roleSource = 'every_login'): Promise<void> {
  const { body, text } = await apply(mappings, (await plan(mappings, roleSource)).digest, roleSource);
  if (body.code !== 200) throw new Error(text);
}
async function enter(name: string): Promise<string> {
  const { body, text } = await world().logIn(name);
  if (typeof body.token !== 'string') throw new Error(`${name}: ${text}`);
  return body.token;
}
const roleOf = (token: string) => decodeToken(token).claims.rolekey;
const clerks = to(groupDn('clerks'), 'clerk');
const auditors = to(groupDn('auditors'), 'auditor');

beforeAll(async () => {
  const { slapd, addProvider } = world();
  await slapd.add(
    ...['anna', 'bert', 'cora', 'dirk', 'boss'].map((uid) => personEntry(uid)),
    groupEntry('clerks', [dnOf('anna')]),
    groupEntry('auditors', [dnOf('bert'), dnOf('anna')]),
    groupEntry('team', [dnOf('cora')]),
    groupEntry('bosses', [dnOf('boss')]),
  );
  await slapd.replace(groupDn('clerks'), 'member', [dnOf('anna'), groupDn('team')]);
  providerId = await addProvider();
  for (const name of ['anna', 'bert', 'cora', 'dirk', 'boss']) await enter(name);
});

describe('T211: mappings that give too much', () => {
  it('T211: never give admin to all people, and give it to a group', async () => {
    const { call } = world();
    const refused = { mappings: [to('*', 'admin')], roleSource: 'every_login' };
    const planned = await call('POST', `/providers/${providerId}/mappings/plan`, refused);
    expectAttackFails(planned.body.code, { success: 200, failure: 400 });
    expect((await apply(refused.mappings, '0'.repeat(64))).body.code).toBe(400);
    await set([to(groupDn('bosses'), 'admin'), to('*', 'guest')]);
    expect(roleOf(await enter('boss'))).toBe('admin');
    expect(roleOf(await enter('dirk'))).toBe('guest');
  });

  it('T211: are set only by an administrator', async () => {
    const { service } = world();
    const mappings = [to('*', 'guest')];
    const { digest } = await plan(mappings);
    const authorization = `Bearer ${await service.tokenOf('carl')}`;
    const path = `/api/v1/providers/${providerId}/mappings`;
    const body = { mappings, roleSource: 'every_login', digest };
    const answer = await service.send({ method: 'PUT', path, headers: { authorization }, body });
    failIfAttackSucceeded(answer.body.code === 200, 'the mappings are set');
    expect([answer.body.code, answer.headers['x-auth-reason']]).toEqual([401, 'permission_denied']);
    expect((await apply(mappings, digest)).body.code).toBe(200);
  });

  it('T211: apply in their order, also by nested groups', async () => {
    await set([clerks, auditors, to('*', 'guest')]);
    expect(roleOf(await enter('anna'))).toBe('clerk');
    expect(roleOf(await enter('bert'))).toBe('auditor');
    expect(roleOf(await enter('cora'))).toBe('clerk');
    expect(roleOf(await enter('dirk'))).toBe('guest');
    await set([auditors, clerks, to('*', 'guest')]);
    expectAttackFails(roleOf(await enter('anna')), { success: 'clerk', failure: 'auditor' });
  });
});

describe('T212: a plan other than the shown one', () => {
  const mappings = [clerks, to('*', 'guest')];
  /** What would change. */
  async function show(): Promise<Plan> {
    await set([to('*', 'guest')]);
    const shown = await plan(mappings);
    expect(shown.changes.map(({ username }) => username.split('@')[0]).sort()).toEqual(['anna', 'cora']);
    return shown;
  }
  async function roleHere(name: string, role: keyof typeof roleIds): Promise<void> {
    const { byAdmin } = world();
    const { items } = (await byAdmin('GET', '/users?pageSize=100')).body.data as {
      items: { id: number; username: string }[];
    };
    const user = items.find(({ username }) => username.split('@')[0] === name);
    await byAdmin('PUT', `/users/${user?.id}/role`, { roleId: roleIds[role] });
  }
  it.each<[string, () => Promise<void>, () => Promise<void>]>([
    [
      'another group meanwhile',
      () => world().slapd.replace(groupDn('team'), 'member', [dnOf('cora'), dnOf('dirk')]),
      () => world().slapd.replace(groupDn('team'), 'member', [dnOf('cora')]),
    ],
    ['another role here', () => roleHere('dirk', 'clerk'), () => roleHere('dirk', 'guest')],
  ])('T212: is not applied: %s', async (_what, change, restore) => {
    const shown = await show();
    onTestFinished(restore);
    await change();
    const { headers, body } = await apply(mappings, shown.digest);
    failIfAttackSucceeded(body.code === 200, 'it is applied');
    expect([body.code, headers['x-auth-reason']]).toEqual([409, undefined]);
    expect((await apply(mappings, (await plan(mappings)).digest)).body.code).toBe(200);
  });
  it('T212: is not applied: another order', async () => {
    const { digest } = await show();
    const { body } = await apply([...mappings].reverse(), digest);
    expectAttackFails(body.code, { success: 200, failure: 409 });
    expect((await apply(mappings, digest)).body.code).toBe(200);
  });

  it('T212: is not enabled past the plan, by a change of the provider', async () => {
    const { call } = world();
    await set([clerks], 'local');
    const { body } = await call('PUT', `/providers/${providerId}`, { roleSource: 'every_login' });
    expectAttackFails(body.code, { success: 200, failure: 400 });
    expect(roleOf(await enter('dirk'))).toBe('guest');
    await set([clerks, to('*', 'auditor')]);
    expect(roleOf(await enter('dirk'))).toBe('auditor');
  });
});

describe('T213: a person whose groups were removed', () => {
  it('T213: is locked out when the call returns, where the provider always decides the role', async () => {
    const { isLive, outcome } = world();
    await set([to('*', 'guest')]);
    const [anna, dirk] = [await enter('anna'), await enter('dirk')];
    const shown = await plan([clerks]);
    const effects = Object.fromEntries(
      shown.changes.map(({ username, effect }) => [username.split('@')[0], effect]),
    );
    expect(effects).toEqual({
      anna: 'gains',
      cora: 'gains',
      bert: 'locked_out',
      dirk: 'locked_out',
      boss: 'locked_out',
    });
    expect((await apply([clerks], shown.digest)).body.code).toBe(200);
    failIfAttackSucceeded(await isLive(dirk), 'the session goes on');
    expect(await isLive(anna)).toBe(false);
    expect(await outcome('dirk')).toBe('credentials_wrong');
    expect(roleOf(await enter('anna'))).toBe('clerk');
  });

  it('T213: is found by the next recheck, which moves people who are in another group', async () => {
    const { slapd, byAdmin, isLive } = world();
    await set([clerks, auditors]);
    const [anna, bert, cora] = [await enter('anna'), await enter('bert'), await enter('cora')];
    await slapd.replace(groupDn('auditors'), 'member', [dnOf('anna')]);
    await slapd.replace(groupDn('clerks'), 'member', [groupDn('team')]);
    const { data } = (await byAdmin('POST', `/providers/${providerId}/recheck`)).body;
    failIfAttackSucceeded(await isLive(anna), 'the session has the role of the group before');
    failIfAttackSucceeded(await isLive(bert), 'the session has the role without a group');
    expect(await isLive(cora)).toBe(true);
    expect(data).toMatchObject({ unmapped: 1, moved: 1, gone: 0 });
    expect(roleOf(await enter('anna'))).toBe('auditor');
  });

  it('T213: keeps the role where an administrator gives it, or the provider only at the first login', async () => {
    const { slapd, outcome } = world();
    for (const roleSource of ['local', 'first_login']) {
      await set([clerks], roleSource);
      expect(await outcome('dirk')).toBe('in');
      await slapd.add(personEntry(`new-${roleSource}`));
      await slapd.replace(groupDn('team'), 'member', [dnOf('cora'), dnOf(`new-${roleSource}`)]);
      const role = roleOf(await enter(`new-${roleSource}`));
      failIfAttackSucceeded(
        roleSource === 'local' && role === 'clerk',
        'a group gives a role that is given here',
      );
      expect(role).toBe(roleSource === 'local' ? 'guest' : 'clerk');
    }
  });

  it('T213: gets no account without a mapped group, where the provider always decides the role', async () => {
    const { slapd, service, outcome } = world();
    await set([clerks]);
    await slapd.add(personEntry('newcomer'));
    expect(await outcome('newcomer')).toBe('credentials_wrong');
    const made = await service.database.query(`select id from users where username like 'newcomer%'`);
    failIfAttackSucceeded(made.length > 0, 'the person is created');
    await set([clerks, to('*', 'guest')]);
    expect(await outcome('newcomer')).toBe('in');
  });

  it('T213: stays an administrator as the last one', async () => {
    const { service } = world();
    await set([to(groupDn('bosses'), 'admin'), to('*', 'guest')]);
    await enter('boss');
    await service.database.query(`update users set enabled = false where username = 'ada'`);
    onTestFinished(async () => {
      await service.database.query(`update users set enabled = true where username = 'ada'`);
    });
    const shown = await plan([to('*', 'guest')]);
    const { body } = await apply([to('*', 'guest')], shown.digest);
    expectAttackFails(body.code, { success: 200, failure: 409 });
    expect(shown.keepsAdministrator).toBe(false);
    await service.database.query(`update users set enabled = true where username = 'ada'`);
    const now = await plan([to('*', 'guest')]);
    expect(now.keepsAdministrator).toBe(true);
    expect(roleOf(await enter('boss'))).toBe('admin');
  });
});

describe('T287: a person in more levels of groups than are read', () => {
  it('T287: loses the session and gets no role, while all other people are rechecked as before', async () => {
    const { slapd, service, call, byAdmin, isLive, outcome } = world();
    await set([clerks, to('*', 'guest')]);
    await slapd.add(personEntry('deep'), personEntry('leaver'));
    const [deep, leaver, bert] = [await enter('deep'), await enter('leaver'), await enter('bert')];
    const names = Array.from({ length: 12 }, (_, n) => `level${n}`);
    for (const [n, name] of names.entries())
      await slapd.add(groupEntry(name, [n === 0 ? dnOf('deep') : groupDn(`level${n - 1}`)]));
    onTestFinished(() => slapd.remove(groupDn('level0')));
    await slapd.remove(dnOf('leaver'));
    const { data } = (await byAdmin('POST', `/providers/${providerId}/recheck`)).body;
    expect(data).toMatchObject({ gone: 1, unmapped: 1 });
    expect(await Promise.all([deep, leaver, bert].map(isLive))).toEqual([false, false, true]);
    expect(await outcome('deep')).toBe('credentials_wrong');
    // Nor by the star alone.
    await set([to('*', 'guest')]);
    expectAttackFails(await outcome('deep'), { success: 'in', failure: 'credentials_wrong' });
    const shown = await plan([to('*', 'guest')]);
    const ofDeep = shown.changes.find(({ username }) => username.startsWith('deep@'));
    expect(ofDeep).toMatchObject({ effect: 'locked_out', reason: 'unreadable' });
    const lines = service.server.process.output
      .split('\n')
      .filter((line) => line.includes('groups_too_deep'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toContain(dnOf('deep'));
    // The control: with one level less than that, the star counts.
    await slapd.remove(groupDn('level11'));
    expect(await outcome('deep')).toBe('in');
    expect((await call('POST', `/providers/${providerId}/recheck`)).body.code).toBe(200);
  });
});
