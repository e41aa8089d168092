// The literal table of all routes. Whoever adds a route, or opens one, changes this table and shows it in review.
import { endpoints } from '@portcullis/contract';
import { expect, it } from 'vitest';

// biome-ignore format: One row a route.
const routes = [
  // method  path                       access         may be excluded
  ['GET',    '/api/v1/getCaptcha',      'public',      true],
  ['GET',    '/api/v1/captcha',         'public',      true],
  ['POST',   '/api/v1/login',           'public',      true],
  ['POST',   '/api/v1/logout',          'permission',  true],
  ['GET',    '/api/v1/user/profile',    'permission',  true],
  ['GET',    '/api/v1/getinfo',         'identity',    false],
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
