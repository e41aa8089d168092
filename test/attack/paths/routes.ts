// Every route that the service under test serves, ours and the business service's, with a path that reaches it; and
// the answer that a role is due for any request line, worked out anew and without the product's code.
import { type Endpoint, endpoints } from '@portcullis/contract';
import { isPathMatched } from '../../fuzz/reference.ts';
import { createBusinessRoutes } from '../../rig/business-routes.ts';
import { roles } from '../../rig/seed.ts';

export interface ServedRoute {
  readonly method: string;
  /** As declared: `/api/v1/orders/:id`. */
  readonly template: string;
  /** One that matches it: `/api/v1/orders/7`. */
  readonly path: string;
  readonly access: Endpoint['access'];
}

/** Spec, Authentication 6: what every role may call. */
export const excluded = [
  'POST /api/v1/login',
  'POST /api/v1/logout',
  'GET /api/v1/getCaptcha',
  'GET /api/v1/captcha',
  'GET /api/v1/user/profile',
];

const values: Readonly<Record<string, string>> = {
  id: '7',
  jti: 'abc',
  kid: 'k1',
  year: '2024',
  month: '05',
};

export const servedRoutes: readonly ServedRoute[] = [
  ...endpoints,
  ...createBusinessRoutes().map(({ endpoint }) => endpoint),
].map(({ method, path, access }) => ({
  method,
  template: path,
  path: path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x'),
  access,
}));

export const protectedRoutes = servedRoutes.filter(
  ({ method, template, access }) => access === 'permission' && !excluded.includes(`${method} ${template}`),
);

/**
 * - `unserved`: no such route, or no HTTP;
 * - `denied`: a route that the role may not call;
 * - `open`: a route that it may, whatever the handler then says.
 */
export type Due = 'unserved' | 'denied' | 'open';

/** Spaces behind the target are not part of it: the parser takes any number before the version (RFC 9112, 3). */
export function dueFor(roleKey: string, method: string, sent: string): Due {
  const target = sent.replace(/ +$/, '');
  const [path = ''] = target.split('?', 1);
  if (target.includes('#') || !/^(?:\/(?!\.\.?(?:\/|$))[\w~.-]{1,64})+$/.test(path)) return 'unserved';
  if (!/^[\x21-\x7e]*$/.test(target)) return 'unserved';
  const route = servedRoutes.find(
    (candidate) => candidate.method === method && isPathMatched(candidate.template, path),
  );
  if (route === undefined) return 'unserved';
  if (route.access !== 'permission' || excluded.includes(`${method} ${route.template}`)) return 'open';
  return may(roleKey, method, path) ? 'open' : 'denied';
}

function may(roleKey: string, method: string, path: string): boolean {
  if (roleKey === 'admin') return true;
  const rules = roles.find(({ key }) => key === roleKey)?.rules ?? [];
  return rules.some((rule) => {
    const [ruleMethod = '', rulePath = ''] = rule.split(' ');
    return (ruleMethod === '*' || ruleMethod === method) && isPathMatched(rulePath, path);
  });
}
