// A company to look at: departments, roles, people, the routes of two services, and two weeks of logins.
import type { Database } from '../rig/create-database.ts';
import { hashPassword } from '../rig/seed.ts';

export const companyPassword = 'seven-otters-carry-lanterns';

const departments: readonly (readonly [id: number, name: string, parentId: number | null])[] = [
  [1, 'Head office', null],
  [2, 'Sales', 1],
  [3, 'Sales North', 2],
  [4, 'Sales South', 2],
  [5, 'Warehouse', 1],
  [6, 'Finance', 1],
  [7, '研发中心', 1],
];

interface CompanyRole {
  readonly key: string;
  readonly name: string;
  readonly dataScope: string;
  readonly enabled?: boolean;
  readonly rules: readonly string[];
}

const roles: readonly CompanyRole[] = [
  { key: 'admin', name: 'Administrator', dataScope: '1', rules: [] },
  {
    key: 'support',
    name: 'Support',
    dataScope: '4',
    rules: [
      'GET /api/v1/users',
      'GET /api/v1/users/:id',
      'PUT /api/v1/users/:id/password',
      'GET /api/v1/login-logs/*',
      'GET /api/v1/login-logs',
      'GET /api/v1/explain',
      'GET /api/v1/sessions',
    ],
  },
  {
    key: 'sales',
    name: 'Sales',
    dataScope: '4',
    rules: ['GET /shop/orders', 'POST /shop/orders', 'GET /shop/orders/:id', 'GET /shop/customers/*'],
  },
  {
    key: 'warehouse',
    name: 'Warehouse',
    dataScope: '3',
    rules: ['GET /shop/orders/:id', 'POST /shop/orders/:id/shipments', '* /stock/*', 'GET /stok/levels'],
  },
  {
    key: 'auditor',
    name: 'Auditor',
    dataScope: '1',
    rules: ['GET /api/v1/audit', 'GET /shop/*', 'GET /stock/*'],
  },
  { key: 'intern', name: 'Intern', dataScope: '5', enabled: false, rules: ['GET /shop/orders'] },
];

const people: readonly (readonly [username: string, name: string, role: string, department: number])[] = [
  ['ada', 'Ada Okafor', 'admin', 1],
  ['mei', '林美', 'support', 7],
  ['carl', 'Carl Jensen', 'sales', 3],
  ['dora', 'Dora Fontaine', 'sales', 4],
  ['emil', 'Emil Brandt', 'warehouse', 5],
  ['farid', 'Farid Rahimi', 'auditor', 6],
  ['gina', 'Gina Rossi', 'intern', 2],
];

const resources = [
  ['shop', 'orders', 'Orders'],
  ['shop', 'customers', 'Customers'],
  ['shop', 'invoices', 'Invoices'],
  ['shop', 'refunds', 'Refunds'],
  ['stock', 'levels', 'Levels'],
  ['stock', 'movements', 'Movements'],
] as const;

/** With an administrator `ada`; everybody has the same password. */
export async function fillCompany(database: Database): Promise<void> {
  const passwordHash = await hashPassword(companyPassword, 2);
  for (const row of departments)
    await database.query('insert into departments (id, name, parent_id) values ($1, $2, $3)', row);
  for (const [index, role] of roles.entries()) await addRole(database, index + 1, role);
  for (const row of people) await addPerson(database, [...row, passwordHash]);
  await addMore(database, passwordHash);
  for (const [service, resource, tag] of resources) await addRoutes(database, service, resource, tag);
  for (const table of ['departments', 'roles', 'users'])
    await database.query(`alter table ${table} alter column id restart with 1000`);
  await addLogins(database);
}

async function addRole(database: Database, id: number, role: CompanyRole): Promise<void> {
  await database.query(
    'insert into roles (id, role_key, name, data_scope, enabled) values ($1, $2, $3, $4, $5)',
    [id, role.key, role.name, role.dataScope, role.enabled ?? true],
  );
  for (const rule of role.rules)
    await database.query('insert into rules (role_id, method, path) values ($1, $2, $3)', [
      id,
      ...rule.split(' '),
    ]);
}

async function addPerson(database: Database, values: readonly unknown[]): Promise<void> {
  await database.query(
    `insert into users (username, canonical_username, nick_name, role_id, department_id, password_hash)
     select $1, $1, $2, (select id from roles where role_key = $3), $4, $5`,
    values,
  );
}

/** Enough for a second page. */
async function addMore(database: Database, passwordHash: string): Promise<void> {
  await database.query(
    `insert into users (username, canonical_username, nick_name, role_id, department_id, password_hash, enabled)
     select 'clerk' || n, 'clerk' || n, 'Clerk ' || n, 3, 3 + n % 2, $1, n % 9 > 0 from generate_series(1, 60) as n`,
    [passwordHash],
  );
}

async function addRoutes(database: Database, service: string, resource: string, tag: string): Promise<void> {
  const one = tag.replace(/s$/, '').toLowerCase();
  const routes = [
    ['GET', '', `List ${tag.toLowerCase()}`],
    ['POST', '', `Create: ${one}`],
    ['GET', '/:id', `Show: ${one}`],
    ['PUT', '/:id', `Change: ${one}`],
    ['DELETE', '/:id', `Delete: ${one}`],
    ...(resource === 'orders' ? [['POST', '/:id/shipments', 'Ship an order']] : []),
  ];
  for (const [method, rest, title] of routes)
    await database.query(
      'insert into catalog (service, path, method, title, tag) values ($1, $2, $3, $4, $5)',
      [service, `/${service}/${resource}${rest}`, method, title, tag],
    );
}

/** More by day than by night; one name that is tried from one address, again and again, on one night. */
async function addLogins(database: Database): Promise<void> {
  await database.query(`
    with logins as (
      select now() - n * interval '7 minutes' as at, n,
        (array['ada', 'mei', 'carl', 'dora', 'emil', 'farid', 'clerk1', 'clerk2', 'clerk3', 'clerk4'])[1 + n * 7 % 10] as username
      from generate_series(1, 2880) as n
      where extract(hour from now() - n * interval '7 minutes') between 6 and 19 or n % 6 = 0
    ), attacks as (
      select date_trunc('day', now()) - interval '2 days' + interval '3 hours' + n * interval '20 seconds' as at, n
      from generate_series(1, 240) as n
    ), records as (
      select at, username,
        case when n % 11 = 0 then 'credentials_wrong' when n % 29 = 0 then 'captcha_wrong' else 'ok' end as reason,
        ('10.20.' || n % 4 || '.' || 10 + n % 40)::inet as ip,
        (array['Chrome 141', 'Firefox 144', 'Safari 26', 'Microsoft Edge 141'])[1 + n * 13 % 4] as browser,
        (array['Windows', 'macOS', 'Linux', 'Android'])[1 + n * 5 % 4] as os,
        (array['DE', 'FR', 'CN', 'GB'])[1 + n * 3 % 4] as location
      from logins
      union all
      select at, 'root', case when n > 60 then 'throttled' else 'credentials_wrong' end, '203.0.113.66',
        'python-requests 2.32', 'Linux', 'NL'
      from attacks
    )
    , stored as (insert into login_log (id, at, username, user_id, role_key, outcome, reason, ip, user_agent, browser, os, platform,
      location, request_id, jti, instance)
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
        || '8' || substr(md5(random()::text), 1, 15))::uuid, at, username,
      (select id from users where users.username = records.username),
      (select role_key from users join roles on roles.id = role_id where users.username = records.username),
      case reason when 'ok' then 'success' else 'failure' end, reason, ip, browser, browser, os, 'desktop', location,
      md5(random()::text), null, '0192f0c1-3c2a-7d54-9a01-0d5f4a8f9c11'
    from records returning at, reason)
    insert into login_log_counts (hour, reason, shard, n)
    select date_trunc('hour', at, 'UTC') as hour, reason, 0, count(*) from stored group by hour, reason`);
}
