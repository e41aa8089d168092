// One caller, one write of the caller's that is held on its way, and one call that takes away what it rests on.
import { randomBytes } from 'node:crypto';
import type { Random } from '../../fuzz/random.ts';
import { bearer, type Cluster, type Instance } from '../start-cluster.ts';
import { type Kind, nothing, type Revoked, revocations, wholeRule } from './revocations.ts';
import { plainRoleId, type Target, type Write, writes, writesOnUsers } from './writes.ts';

/**
 * `lock`: the transaction waits for a row. `pool`: the request waits for a connection. `body`: its last byte is missing.
 * `hash`: nothing holds it but its own password.
 */
export const holds = ['lock', 'pool', 'body', 'hash'] as const;
export type Hold = (typeof holds)[number];

export interface Trial {
  readonly name: string;
  readonly hold: Hold;
  readonly write: Write;
  readonly caller: Revoked;
  /** Of the control group: nothing is taken away. */
  readonly isKept: boolean;
  revoke(cluster: Cluster, writer: Instance): Promise<unknown>;
}

export const managerRole = { id: 3001, roleKey: 'manager', dataScope: '1' };
export const branchRole = { id: 3002, roleKey: 'branch', dataScope: '4' };

const hashing = new Set(['create a user', 'reset a password']);

/** Everything that the trials of one wave need, in as few statements as there are tables. */
export async function prepareTrials(
  cluster: Cluster,
  random: Random,
  first: number,
  count: number,
): Promise<Trial[]> {
  const { database } = cluster;
  const places = await database.query<{ id: number }>(
    `insert into departments (name) select 'Place' from generate_series(1, $1::int) returning id::int`,
    [count * 2],
  );
  const names = Object.keys(revocations);
  const plans = Array.from({ length: count }, (_, index) => {
    const revocation = names[(first + index) % names.length] ?? '';
    const { kind } = revocations[revocation] ?? { kind: 'user' };
    const word = `w${randomBytes(6).toString('hex')}`;
    return { revocation, kind, word, at: places[index]?.id ?? 0, elsewhere: places[count + index]?.id ?? 0 };
  });
  const roles = await createRoles(cluster, plans);
  const users = await database.query<{ id: number; username: string }>(
    `insert into users (username, canonical_username, department_id, role_id, password_hash)
     select name, name, place, role, 'none' from unnest($1::text[], $2::bigint[], $3::bigint[]) as rows (name, place, role)
     returning id::int, username`,
    [
      plans.flatMap(({ word }) => [`${word}-caller`, `${word}-target`]),
      plans.flatMap(({ at }) => [at, at]),
      plans.flatMap(({ word, kind }) => [roles.of(word, kind).id, plainRoleId]),
    ],
  );
  const idOf = new Map(users.map(({ id, username }) => [username, id]));
  const trials: Trial[] = [];
  for (const { revocation, kind, word, at, elsewhere } of plans) {
    const role = roles.of(word, kind);
    const userId = idOf.get(`${word}-caller`) ?? 0;
    const token = cluster.issue(userId, {
      roleid: role.id,
      rolekey: role.roleKey,
      datascope: role.dataScope,
    });
    const target: Target = {
      userId: idOf.get(`${word}-target`) ?? 0,
      roleId: roles.target(word),
      departmentId: at,
      jti: randomBytes(16).toString('base64url'),
      word,
    };
    await database.query(
      `insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at)
       values ($1, $2, 'plain', 'k', 1, now(), now() + interval '1 day')`,
      [target.jti, target.userId],
    );
    const [name, make] = random.pick(Object.entries(kind === 'moved' ? writesOnUsers : writes));
    const write = make(target);
    const possible = holds.filter(
      (hold) => (hold !== 'hash' || hashing.has(name)) && (hold !== 'body' || write.body !== undefined),
    );
    const hold = random.pick(possible);
    const caller = { userId, roleId: role.id, token, elsewhere };
    trials.push({
      name: `${name}, held by ${hold}; ${revocation}`,
      hold,
      write,
      caller,
      isKept: revocation === nothing,
      revoke: (on, writer) =>
        revocations[revocation]?.run(on, writer, caller) ?? Promise.reject(new Error(revocation)),
    });
  }
  return trials;
}

interface RoleFacts {
  readonly id: number;
  readonly roleKey: string;
  readonly dataScope: string;
}

/** A role for each target, and one for each caller who is revoked by the own role; these every instance knows. */
async function createRoles(cluster: Cluster, plans: readonly { word: string; kind: Kind }[]) {
  const [writer] = cluster.instances;
  if (writer === undefined) throw new Error('There is no instance.');
  const targets = await cluster.database.query<{ id: number; role_key: string }>(
    `insert into roles (role_key, name, data_scope)
     select word || '-t', 'Target', '5' from unnest($1::text[]) as word returning id::int, role_key`,
    [plans.map(({ word }) => word)],
  );
  const target = new Map(targets.map(({ id, role_key }) => [role_key, id]));
  const own = new Map<string, RoleFacts>();
  for (const { word } of plans.filter(({ kind }) => kind === 'role')) {
    const role = { roleKey: `${word}-c`, dataScope: '1' };
    await cluster.command(writer, 'POST', '/api/v1/roles', { ...role, name: 'Own' });
    // Where the call had to be repeated, it says only that the role is there.
    const [found] = await cluster.database.query<{ id: number }>(
      'select id::int from roles where role_key = $1',
      [role.roleKey],
    );
    const id = found?.id ?? 0;
    await cluster.command(writer, 'POST', `/api/v1/roles/${id}/rules`, { add: [wholeRule] });
    own.set(word, { id, ...role });
  }
  return {
    target: (word: string) => target.get(`${word}-t`) ?? 0,
    of(word: string, kind: Kind): RoleFacts {
      if (kind === 'user') return managerRole;
      return kind === 'moved' ? branchRole : (own.get(word) ?? managerRole);
    },
  };
}

export function requestOf({ write, caller }: Trial) {
  const { method, path, body } = write;
  return { method, path, headers: bearer(caller.token), ...(body === undefined ? {} : { body }) };
}
