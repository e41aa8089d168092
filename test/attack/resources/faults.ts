// Every request to the service, and every failure of its dependencies.
import { type Endpoint, endpoints } from '@portcullis/contract';
import type { Database } from '../../rig/create-database.ts';
import type { Request } from '../../rig/http-client.ts';
import { password } from '../../rig/seed.ts';
import type { TcpProxy } from '../../rig/tcp-proxy.ts';

const bodies: Readonly<Record<string, unknown>> = {
  'POST /api/v1/login': { username: 'carl', password },
  'PUT /api/v1/users/:id/enabled': { enabled: true },
  'PUT /api/v1/users/:id/password': { password },
  'PUT /api/v1/users/:id/role': { roleId: 3 },
  'PUT /api/v1/roles/:id/enabled': { enabled: true },
  'PUT /api/v1/roles/:id/data-scope': { dataScope: '3' },
  'POST /api/v1/roles/:id/rules': { add: [{ method: 'GET', path: '/api/v1/orders' }] },
};

/** What ends the token that the others are sent with stands apart. */
const endsTokens = ({ path }: Endpoint) => /logout|sessions$|emergency/.test(path);

/** Without streams, which do not end, or not in JSON. */
export function requestsOfAll(token: string): { harmless: Request[]; ending: Request[] } {
  const make = (endpoint: Endpoint) => requestOf(endpoint, token);
  const whole = endpoints.filter((endpoint) => !('stream' in endpoint));
  return {
    harmless: whole.filter((endpoint) => !endsTokens(endpoint)).map(make),
    ending: whole.filter(endsTokens).map(make),
  };
}

function requestOf({ method, path }: Endpoint, token: string): Request {
  const body = bodies[`${method} ${path}`];
  return {
    method,
    path: path.replace(':id', '5').replace(':kid', 'aaaa').replace(':jti', 'AAAAAAAAAAAAAAAAAAAAAA'),
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
  };
}

interface Fault {
  /** Until the result is called. */
  begin(world: { readonly database: Database; readonly proxy: TcpProxy }): Promise<() => Promise<void>>;
  /** Of the statuses that it brings about, one that must be among the answers. */
  readonly status: number;
}

const tables = ['users', 'roles', 'rules', 'sessions', 'keys', 'captchas', 'throttle', 'revisions'];
/** What an error of Postgres would repeat, if it were let through. */
const telling = 'select password_hash from users at /srv/store.ts:1 of PostgreSQL 17.2';

export const faults: Readonly<Record<string, Fault>> = {
  'Postgres refuses connections': {
    status: 503,
    async begin({ proxy }) {
      proxy.refuse();
      proxy.destroyConnections();
      return () => proxy.accept();
    },
  },
  'Postgres does not answer': {
    status: 503,
    async begin({ proxy }) {
      proxy.cut('both');
      return async () => {
        proxy.heal();
        proxy.destroyConnections();
      };
    },
  },
  'Postgres breaks connections off': {
    status: 503,
    async begin({ proxy }) {
      const breaking = setInterval(() => proxy.destroyConnections(), 1);
      return async () => clearInterval(breaking);
    },
  },
  'tables are locked': {
    status: 503,
    async begin({ database }) {
      const unlock = await database.lock(tables.join(', '));
      return unlock;
    },
  },
  'tables are gone': {
    status: 500,
    async begin({ database }) {
      const rename = async (from: string, to: string) => {
        for (const table of tables)
          await database.query(`alter table ${table}${from} rename to ${table}${to}`);
      };
      await rename('', '_gone');
      return () => rename('_gone', '');
    },
  },
  'statements fail with a telling text': {
    status: 500,
    async begin({ database }) {
      await database.query(
        `create function fail() returns trigger language plpgsql as $$ begin raise exception '${telling}'; end $$`,
      );
      for (const table of tables)
        await database.query(
          `create trigger failing before insert or update or delete on ${table} for each statement execute function fail()`,
        );
      return async () => void (await database.query('drop function fail cascade'));
    },
  },
  'rows are not what they should be': {
    status: 500,
    async begin({ database }) {
      await database.query('update users set password_hash = $1', [telling]);
      await database.query(`update keys set public_jwk = '{}'`);
      await database.query(`alter table sessions alter column issued_at type text using '${telling}'`);
      await database.query(`alter table captchas alter column expires_at type text using ''`);
      for (const { signature } of await database.query<{ signature: string }>(
        `select oid::regprocedure::text as signature from pg_proc where proname = 'admit_login'`,
      ))
        await database.query(`alter function ${signature} rename to admit_nobody`);
      return async () => {};
    },
  },
};
