// The size that the console is held to: 200 roles and 2,000 imported endpoints, with 300 rules a role.
import type { Database } from '../rig/create-database.ts';
import { fillCompany } from './fill-company.ts';

export const matrixSize = { roles: 200, endpoints: 2000, rulesPerRole: 300 } as const;

export async function fillMatrix(database: Database): Promise<void> {
  const { roles, endpoints, rulesPerRole } = matrixSize;
  await fillCompany(database);
  await database.query('delete from catalog');
  const [row] = await database.query<{ n: number }>('select count(*)::int as n from roles');
  await database.query(
    `insert into roles (role_key, name, data_scope)
     select 'branch-' || lpad(n::text, 3, '0'), 'Branch office ' || n, '4' from generate_series(1, $1::int) as n`,
    [roles - (row?.n ?? 0)],
  );
  await database.query(
    `insert into catalog (service, path, method, title, tag)
     select 'service-' || n / 200, '/service-' || n / 200 || '/things-' || n / 5 || (array['', '', '/:id', '/:id', '/:id'])[1 + n % 5],
       (array['GET', 'POST', 'GET', 'PUT', 'DELETE'])[1 + n % 5],
       (array['List', 'Create', 'Show', 'Change', 'Delete'])[1 + n % 5] || ' things ' || n / 5, 'Group ' || n / 20
     from generate_series(0, $1::int - 1) as n`,
    [endpoints],
  );
  // Rules of the very routes, spread otherwise for every role, and one that covers a whole service.
  await database.query(
    `insert into rules (role_id, method, path)
     select roles.id, chosen.method, chosen.path from roles
     cross join lateral (select method, path from catalog order by md5(path || method || roles.id) limit $1) as chosen
     where role_key like 'branch-%'`,
    [rulesPerRole - 1],
  );
  await database.query(
    `insert into rules (role_id, method, path)
     select id, '*', '/service-' || id % 5 || '/*' from roles where role_key like 'branch-%'`,
  );
}
