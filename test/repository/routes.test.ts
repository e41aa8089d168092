// The literal table of all routes. Whoever adds a route, or opens one, changes this table and shows it in review.
import { endpoints } from '@portcullis/contract';
import { expect, it } from 'vitest';

// biome-ignore format: One row a route.
const routes = [
  // method  path                                   access         may be excluded
  ['GET',     '/api/v1/getCaptcha',                  'public',      true],
  ['GET',     '/api/v1/captcha',                     'public',      true],
  ['POST',    '/api/v1/login',                       'public',      true],
  ['POST',    '/api/v1/logout',                      'permission',  true],
  ['GET',     '/api/v1/user/profile',                'permission',  true],
  ['GET',     '/api/v1/getinfo',                     'identity',    false],
  ['PUT',     '/api/v1/user/password',               'identity',    false],
  ['GET',     '/api/v1/sessions',                    'permission',  false],
  ['GET',     '/api/v1/sessions/:jti',               'permission',  false],
  ['DELETE',  '/api/v1/sessions/:jti',               'permission',  false],
  ['DELETE',  '/api/v1/users/:id/sessions',          'permission',  false],
  ['DELETE',  '/api/v1/sessions',                    'permission',  false],
  ['GET',     '/api/v1/jwks',                        'public',      false],
  ['GET',     '/api/v1/keys',                        'permission',  false],
  ['POST',    '/api/v1/keys',                        'permission',  false],
  ['POST',    '/api/v1/keys/:kid/activate',          'permission',  false],
  ['POST',    '/api/v1/keys/:kid/retire',            'permission',  false],
  ['POST',    '/api/v1/keys/:kid/emergency-retire',  'permission',  false],
  ['GET',     '/api/v1/users',                       'permission',  false],
  ['GET',     '/api/v1/users/:id',                   'permission',  false],
  ['POST',    '/api/v1/users',                       'permission',  false],
  ['PUT',     '/api/v1/users/:id',                   'permission',  false],
  ['PUT',     '/api/v1/users/:id/enabled',           'permission',  false],
  ['PUT',     '/api/v1/users/:id/password',          'permission',  false],
  ['PUT',     '/api/v1/users/:id/role',              'permission',  false],
  ['DELETE',  '/api/v1/users/:id',                   'permission',  false],
  ['GET',     '/api/v1/roles',                       'permission',  false],
  ['GET',     '/api/v1/roles/:id',                   'permission',  false],
  ['POST',    '/api/v1/roles',                       'permission',  false],
  ['PUT',     '/api/v1/roles/:id',                   'permission',  false],
  ['DELETE',  '/api/v1/roles/:id',                   'permission',  false],
  ['PUT',     '/api/v1/roles/:id/enabled',           'permission',  false],
  ['PUT',     '/api/v1/roles/:id/data-scope',        'permission',  false],
  ['GET',     '/api/v1/departments',                 'permission',  false],
  ['GET',     '/api/v1/departments/:id',             'permission',  false],
  ['POST',    '/api/v1/departments',                 'permission',  false],
  ['PUT',     '/api/v1/departments/:id',             'permission',  false],
  ['DELETE',  '/api/v1/departments/:id',             'permission',  false],
  ['GET',     '/api/v1/roles/:id/rules',             'permission',  false],
  ['POST',    '/api/v1/roles/:id/rules',             'permission',  false],
  ['POST',    '/api/v1/roles/:id/rules/compare',     'permission',  false],
  ['GET',     '/api/v1/roles/:id/rules/history',     'permission',  false],
  ['POST',    '/api/v1/roles/:id/rules/rollback',    'permission',  false],
  ['GET',     '/api/v1/roles/:id/temporary-rules',   'permission',  false],
  ['POST',    '/api/v1/roles/:id/temporary-rules',   'permission',  false],
  ['POST',    '/api/v1/user/access-requests',        'identity',    false],
  ['GET',     '/api/v1/user/access-requests',        'identity',    false],
  ['DELETE',  '/api/v1/user/access-requests/:id',    'identity',    false],
  ['GET',     '/api/v1/access-requests',             'permission',  false],
  ['POST',    '/api/v1/access-requests/:id/answer',  'permission',  false],
  ['GET',     '/api/v1/instances',                   'permission',  false],
  ['GET',     '/api/v1/login-logs',                  'permission',  false],
  ['GET',     '/api/v1/login-logs/counts',           'permission',  false],
  ['GET',     '/api/v1/login-logs/top',              'permission',  false],
  ['GET',     '/api/v1/login-logs/tail',             'permission',  false],
  ['GET',     '/api/v1/login-logs/export',           'permission',  false],
  ['GET',     '/api/v1/routes',                      'permission',  false],
  ['GET',     '/api/v1/routes/report',               'permission',  false],
  ['PUT',     '/api/v1/routes/:service',             'permission',  false],
  ['DELETE',  '/api/v1/routes/:service',             'permission',  false],
  ['GET',     '/api/v1/audit',                       'permission',  false],
  ['GET',     '/api/v1/audit/export',                'permission',  false],
  ['GET',     '/api/v1/users/:id/activity',          'permission',  false],
  ['GET',     '/api/v1/explain',                     'permission',  false],
  ['GET',     '/api/v1/users/:id/access',            'permission',  false],
  ['GET',     '/api/v1/routes/callers',              'permission',  false],
  ['GET',     '/api/v1/matrix',                      'permission',  false],
  ['GET',     '/api/v1/exclusions',                  'permission',  false],
  ['GET',     '/api/v1/openapi.json',                'identity',    false],
];

it('serves exactly these routes, each with this access', () => {
  const declared = endpoints.map(({ method, path, access, excludable }) => [
    method,
    path,
    access,
    excludable === true,
  ]);
  expect(declared).toEqual(routes);
});

it('opens exactly these routes to a caller whose password must be changed first', () => {
  const open = endpoints.filter(({ forDuePassword }) => forDuePassword === true);
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/v1/logout',
    'GET /api/v1/user/profile',
    'GET /api/v1/getinfo',
    'PUT /api/v1/user/password',
  ]);
});

it('keeps a budget for exactly these routes, which take access away', () => {
  const revoking = endpoints.filter(({ takesAway }) => takesAway === true);
  expect(revoking.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    'DELETE /api/v1/roles/:id',
    'DELETE /api/v1/sessions',
    'DELETE /api/v1/sessions/:jti',
    'DELETE /api/v1/users/:id',
    'DELETE /api/v1/users/:id/sessions',
    'POST /api/v1/access-requests/:id/answer',
    'POST /api/v1/keys/:kid/emergency-retire',
    'POST /api/v1/keys/:kid/retire',
    'POST /api/v1/logout',
    'POST /api/v1/roles/:id/rules',
    'POST /api/v1/roles/:id/rules/rollback',
    'POST /api/v1/roles/:id/temporary-rules',
    'PUT /api/v1/roles/:id',
    'PUT /api/v1/roles/:id/data-scope',
    'PUT /api/v1/roles/:id/enabled',
    'PUT /api/v1/user/password',
    'PUT /api/v1/users/:id/enabled',
    'PUT /api/v1/users/:id/password',
    'PUT /api/v1/users/:id/role',
  ]);
});
