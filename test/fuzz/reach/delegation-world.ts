// A service with a random company, whose users can all call the administration.
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '../../rig/create-database.ts';
import { type Answer, createHttpClient } from '../../rig/http-client.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import { readSigningKey, signToken } from '../../rig/tokens.ts';
import { patience } from '../fuzzer.ts';
import { adminId, type Company, type Person } from './company.ts';
import { roleKeyOf } from './company-store.ts';

/** The endpoints that every role can call, so that only the data scope and rights decide. */
const common = ['users', 'roles', 'departments'].flatMap((room) => [
  `* /api/v1/${room}`,
  `* /api/v1/${room}/*`,
]);
/** An administrator who is not in the company and does what keeps it going. */
export const caretaker: Person = { id: 1_000_000, roleId: adminId, departmentId: 1 };

export const ruleOf = (call: string) => ({ method: 'GET', path: `/calls/${call}` });

/** No outcome: the store was away for a moment, or a hash was waited for too long. What was changed is unknown. */
export class NotDecided extends Error {}

export interface DelegationWorld {
  readonly server: Server;
  call(company: Company, caller: Person, method: string, path: string, body?: object): Promise<Answer>;
  stop(): Promise<void>;
}

export async function createDelegationWorld(company: Company): Promise<DelegationWorld> {
  const database = await createDatabase({ migrated: true });
  try {
    await storeCompany(database, company);
    const server = await startServer({ databaseUrl: database.url, settings: patience });
    const client = createHttpClient(server.port, { remembers: false, resends: true });
    const key = await readSigningKey(database, { dev: false });

    const tokens = new Map<string, string>();

    /** What was changed may have ended the one before. */
    async function tokenOf({ roles }: Company, { id, roleId }: Person): Promise<string> {
      const [row] = await database.query<{ epoch: number }>('select epoch::int from users where id = $1', [
        id,
      ]);
      const iat = Math.floor(Date.now() / 1000);
      const claims = {
        ...{ identity: id, sub: String(id), nice: `person-${id}`, ep: row?.epoch },
        ...{ roleid: roleId, rolekey: roleKeyOf(roleId), datascope: roles.get(roleId)?.dataScope },
        ...{ iss: 'portcullis', iat, exp: iat + 86_400, jti: randomBytes(16).toString('base64url') },
      };
      const name = JSON.stringify([id, claims.ep, roleId, claims.datascope]);
      const token = tokens.get(name) ?? signToken(claims, key);
      tokens.set(name, token);
      return token;
    }

    return {
      server,
      async call(of, caller, method, path, body) {
        const headers = { authorization: `Bearer ${await tokenOf(of, caller)}` };
        const request = { method, path: `/api/v1${path}`, headers, ...(body && { body }) };
        const answer = await client.send(request);
        if (answer.body.code === 503 || answer.body.code === 429) throw new NotDecided(answer.text);
        return answer;
      },
      async stop() {
        client.close();
        await server.stop();
        await database.drop();
      },
    };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

async function storeCompany(database: Database, { departments, roles, people }: Company): Promise<void> {
  for (const id of departments.keys())
    await database.query(`insert into departments (id, name) values ($1, 'Department')`, [id]);
  for (const [id, parentId] of departments)
    await database.query('update departments set parent_id = $2 where id = $1', [id, parentId]);
  for (const { id, dataScope, departmentIds, calls } of roles.values()) {
    const role = [id, roleKeyOf(id), dataScope];
    await database.query('insert into roles (id, role_key, name, data_scope) values ($1, $2, $2, $3)', role);
    for (const departmentId of departmentIds)
      await database.query('insert into role_departments values ($1, $2)', [id, departmentId]);
    const rules = [...common, ...calls.map((call) => `GET ${ruleOf(call).path}`)];
    for (const rule of id === adminId ? [] : rules)
      await database.query('insert into rules (role_id, method, path) values ($1, $2, $3)', [
        id,
        ...rule.split(' '),
      ]);
  }
  for (const { id, roleId, departmentId } of [...people.values(), caretaker])
    await database.query(
      `insert into users (id, username, canonical_username, department_id, role_id, password_hash)
       values ($1, $2, $2, $3, $4, 'none')`,
      [id, `person-${id}`, departmentId, roleId],
    );
  for (const table of ['departments', 'roles', 'users'])
    await database.query(`alter table ${table} alter column id restart with 2000000`);
}
