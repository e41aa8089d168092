// Threats T285 and T286: groups of a directory no longer give a role, and the person or the provider changes between the moment at
// which the service reads them and the moment at which it takes the role.
import { beforeAll, expect, it } from 'vitest';
import { dnOf, groupDn, groupEntry, personEntry } from '../../rig/slapd.ts';
import { failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { useDirectoryWorld } from '../directories/world.ts';
import { openClient, untilWaiting } from './postgres-client.ts';

const world = useDirectoryWorld();
const [clerk, guest] = [2, 5];
const to = (group: string, roleId: number) => ({ group, roleId, departmentId: null });
const everybody = to('*', guest);
let provider = '';
beforeAll(async () => {
  await world().service.database.query(`insert into departments (name) values ('Sales')`);
  provider = `/providers/${await world().addProvider()}`;
});

/** Shows what these mappings change, and returns the call that applies them. */
async function plan(...mappings: readonly object[]) {
  const { byAdmin, call } = world();
  const wish = { roleSource: 'every_login', mappings };
  const { data } = (await byAdmin('POST', `${provider}/mappings/plan`, wish)).body;
  const { digest } = data as { digest: string };
  return () => call('PUT', `${provider}/mappings`, { ...wish, digest });
}

/** A person whom a group makes a clerk, and who is signed in. */
async function addClerk(name: string) {
  const { slapd, service, logIn } = world();
  const group = groupDn(`${name}s`);
  await slapd.add(personEntry(name), personEntry(`${name}-heir`), groupEntry(`${name}s`, [dnOf(name)]));
  expect((await (await plan(to(group, clerk), everybody))()).body.code).toBe(200);
  const { token } = (await logIn(name)).body;
  const find = async () => {
    const rows = await service.database.query<{ id: number; role: number }>(
      'select users.id::int, role_id::int as role from users join credentials on user_id = users.id where credentials.name = $1',
      [name],
    );
    return rows[0];
  };
  const found = await find();
  expect(found?.role).toBe(clerk);
  return { id: found?.id, group, token: String(token), roleOf: async () => (await find())?.role };
}

it('T285 takes the role from a person whose department changes while the mappings are applied', async () => {
  const { service, isLive } = world();
  const { id, token, roleOf } = await addClerk('erin');
  const apply = await plan(everybody);
  const holder = await openClient(service.database.url);
  await holder.query('begin');
  await holder.query('update users set department_id = (select max(id) from departments) where id = $1', [
    id,
  ]);
  const applying = apply();
  await untilWaiting(service.database, [applying]);
  await holder.query('commit');
  const { code } = (await applying).body;
  failIfAttackSucceeded((await roleOf()) === clerk && code === 200, 'the person keeps the role');
  expect(code).toBe(200);
  expect([await roleOf(), await isLive(token)]).toEqual([guest, false]);
});

it('T286 takes the role from a person whose provider changes during the recheck, and counts the person once', async () => {
  const { service, slapd, call, byAdmin, isLive } = world();
  const { id, group, token, roleOf } = await addClerk('finn');
  await slapd.replace(group, 'member', [dnOf('finn-heir')]);
  // The control: nothing but the recheck takes it.
  expect([await roleOf(), await isLive(token)]).toEqual([clerk, true]);
  const holder = await openClient(service.database.url);
  await holder.query('begin');
  await holder.query('select from users where id = $1 for update', [id]);
  const rechecking = call('POST', `${provider}/recheck`);
  await untilWaiting(service.database, [rechecking]);
  await byAdmin('PUT', provider, { lifetimeSeconds: 3700 });
  await holder.query('commit');
  const { code, data } = (await rechecking).body;
  failIfAttackSucceeded((await roleOf()) === clerk && code === 200, 'the person keeps the role');
  expect([code, data]).toMatchObject([200, { moved: 1, gone: 0 }]);
  expect([await roleOf(), await isLive(token)]).toEqual([guest, false]);
});
