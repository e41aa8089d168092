// A bank: head office, a branch below it, a desk below that. People of every kind, made by an administrator's own calls.
import { randomBytes } from 'node:crypto';
import { rulesInForce } from '../../rig/rules-in-force.ts';
import type { Service } from '../../rig/start-service.ts';
import { signToken } from '../../rig/tokens.ts';

const administration = ['users', 'roles', 'departments', 'sessions'].flatMap((room) => [
  `* /api/v1/${room}`,
  `* /api/v1/${room}/*`,
]);

const roles = {
  manager: {
    dataScope: '4',
    rules: [...administration, 'GET /api/v1/routes/callers', 'GET /accounts'],
  },
  teller: { dataScope: '5', rules: ['GET /accounts'] },
  officer: { dataScope: '3', rules: ['GET /accounts'] },
  helpdesk: { dataScope: '1', rules: [...administration, 'GET /accounts'] },
  treasurer: { dataScope: '3', rules: ['GET /accounts', 'POST /transfers'] },
} as const;
export type RoleName = keyof typeof roles;

const people = {
  boris: { role: 'manager', department: 'branch' },
  hanna: { role: 'manager', department: 'head' },
  tilda: { role: 'teller', department: 'head' },
  tomas: { role: 'teller', department: 'desk' },
  olga: { role: 'officer', department: 'head' },
  helen: { role: 'helpdesk', department: 'head' },
  trude: { role: 'treasurer', department: 'desk' },
} as const;
export type PersonName = keyof typeof people;

export interface Bank {
  readonly departments: Readonly<Record<'head' | 'branch' | 'desk', number>>;
  readonly roleIds: Readonly<Record<RoleName, number>>;
  readonly ids: Readonly<Record<PersonName, number>>;
  /** As an answer says it: 200, 401, 404. */
  call(who: PersonName | 'admin', method: string, path: string, body?: object): Promise<number>;
  /** The answer itself. */
  send(who: PersonName | 'admin', method: string, path: string, body?: object): ReturnType<Service['send']>;
}

export async function openBank(service: Service): Promise<Bank> {
  const admin = `Bearer ${await service.tokenOf('ada')}`;
  const byAdmin = async (method: string, path: string, body: object) => {
    const request = { method, path: `/api/v1${path}`, headers: { authorization: admin }, body };
    const answer = await service.send(request);
    if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return (answer.body.data as { id: number } | null)?.id ?? 0;
  };
  const head = await byAdmin('POST', '/departments', { name: 'Head', parentId: null });
  const branch = await byAdmin('POST', '/departments', { name: 'Branch', parentId: head });
  const desk = await byAdmin('POST', '/departments', { name: 'Desk', parentId: branch });
  const departments = { head, branch, desk };

  const roleIds = {} as Record<RoleName, number>;
  for (const [name, { dataScope, rules }] of Object.entries(roles)) {
    const id = await byAdmin('POST', '/roles', { roleKey: name, name, dataScope });
    const add = rules.map((rule) => ({ method: rule.split(' ')[0], path: rule.split(' ')[1] }));
    await byAdmin('POST', `/roles/${id}/rules`, { add });
    roleIds[name as RoleName] = id;
  }
  const ids = {} as Record<PersonName, number>;
  for (const [username, { role, department }] of Object.entries(people)) {
    const places = { departmentId: departments[department], roleId: roleIds[role] };
    ids[username as PersonName] = await byAdmin('POST', '/users', { username, name: username, ...places });
  }
  // Waits for everything that was given above.
  await byAdmin('POST', `/roles/${roleIds.manager}/rules`, rulesInForce([]));

  /** Signed by the service's own key, as a login would give it once the first password is changed. */
  async function tokenOf(who: PersonName): Promise<string> {
    const [user] = await service.database.query<{
      epoch: number;
      data_scope: string;
      role_id: number;
      role_key: string;
    }>(
      `select epoch::int, data_scope, role_id::int, role_key from users join roles on roles.id = role_id where users.id = $1`,
      [ids[who]],
    );
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ identity: ids[who], sub: String(ids[who]), nice: who, ep: user?.epoch },
      ...{ roleid: user?.role_id, rolekey: user?.role_key, datascope: user?.data_scope },
      ...{ iss: 'portcullis', iat, exp: iat + 3600, jti: randomBytes(16).toString('base64url') },
    };
    return signToken(claims, await service.signingKey());
  }
  const send: Bank['send'] = async (who, method, path, body) => {
    const authorization = who === 'admin' ? admin : `Bearer ${await tokenOf(who)}`;
    return await service.send({
      method,
      path: `/api/v1${path}`,
      headers: { authorization },
      ...(body && { body }),
    });
  };
  return {
    departments,
    roleIds,
    ids,
    send,
    call: async (...request) => Number((await send(...request)).body.code),
  };
}
