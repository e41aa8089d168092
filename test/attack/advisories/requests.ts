// Requests that name another target, another method or another sender than they have, and rules that match too much.
import type { Request } from '../../rig/http-client.ts';
import { type Advisory, type Notice, orders, rawGet, withToken } from './advisory.ts';

/** A header that some server trusts, on a request without a token. */
const trusted = (headers: Record<string, string>, notice: Notice): Advisory => ({
  ...notice,
  row: 'T46',
  answer: 'token_missing',
  attack: () => ({ ...orders, headers }),
});

/** By an administrator, who would enter the handler if the header counted. */
const redirected = (request: Request, notice: Notice): Advisory => ({
  ...notice,
  row: 'T46',
  answer: 'not found',
  attack: ({ ada }) => withToken(ada, request),
});

const raw = (row: string, target: string, answer: Advisory['answer'], notice: Notice): Advisory => ({
  ...notice,
  row,
  answer,
  attack: ({ ada }) => rawGet(target, ada),
});

/** A rule that an administrator adds. */
const rule = (row: string, path: string, notice: Notice): Advisory => ({
  ...notice,
  row,
  answer: 'params_invalid',
  attack: ({ ada }) =>
    withToken(ada, {
      method: 'POST',
      path: '/api/v1/roles/2/rules',
      body: { add: [{ method: 'GET', path }] },
    }),
});

export const requests: readonly Advisory[] = [
  raw('T41', '/api/v1/orders#x', 'not found', {
    id: 'CVE-2021-32779',
    product: 'Envoy',
    what: 'took a fragment for a part of the path',
  }),
  raw('T41', '/api/v1/greeting#/../orders', 'not found', {
    id: 'CVE-2021-39156',
    product: 'Istio',
    what: 'had no policy for a path with a fragment',
  }),
  raw('T42', 'http://evil.example/api/v1/orders', 'not found', {
    id: 'CVE-2025-58362',
    product: 'Hono',
    what: 'cut another path out of an absolute target',
  }),
  raw('T42', 'api/v1/orders', 'not HTTP', {
    id: 'CVE-2026-33186',
    product: 'gRPC-Go',
    what: 'routed a path without its first slash past the rules',
  }),
  raw('T42', '//evil.example/api/v1/orders/%2e%2e', 'not found', {
    id: 'CVE-2021-22963',
    product: 'fastify-static',
    what: 'took a path that begins with two slashes for a host',
  }),
  raw('T43', '/ap\xc4\xb1/v1/orders', 'not HTTP', {
    id: 'CVE-2024-38827',
    product: 'Spring Security',
    what: 'folded the case of letters by the rules of a language',
  }),
  {
    id: 'CVE-2010-0738',
    product: 'JBoss',
    what: 'guarded GET and POST and served every method',
    row: 'T45',
    answer: 'not found',
    attack: ({ ada }) => withToken(ada, { ...orders, method: 'PATCH' }),
  },
  redirected(
    { path: '/api/v1/nothing', headers: { 'x-original-url': '/api/v1/orders' } },
    { id: 'CVE-2018-14773', product: 'Symfony', what: 'let a header replace the path' },
  ),
  redirected(
    { method: 'POST', path: '/api/v1/orders/7', headers: { 'x-http-method-override': 'GET' } },
    { id: 'CVE-2023-30845', product: 'ESPv2', what: 'checked one method and passed on another' },
  ),
  trusted(
    { 'x-middleware-subrequest': Array(5).fill('middleware').join(':') },
    { id: 'CVE-2025-29927', product: 'Next.js', what: 'skipped its checks for its own internal header' },
  ),
  trusted(
    { 'x-pan-authcheck': 'off' },
    { id: 'CVE-2024-0012', product: 'PAN-OS', what: 'let the caller turn the check off' },
  ),
  trusted(
    { forwarded: 'for="[127.0.0.1]:8000";by="[127.0.0.1]:9000"', 'user-agent': 'Report Runner' },
    { id: 'CVE-2022-40684', product: 'FortiOS', what: 'believed that a call came from itself' },
  ),
  trusted(
    { 'user-agent': 'Nacos-Server' },
    { id: 'CVE-2021-29441', product: 'Nacos', what: 'knew its own servers by their user agent' },
  ),
  rule('T48', '/api/v1/:first-:second', {
    id: 'CVE-2024-45296',
    product: 'path-to-regexp',
    what: 'made slow expressions of two parameters in a segment',
  }),
  rule('T50', '/api/v1/order*', {
    id: 'CVE-2014-6394',
    product: 'send',
    what: 'took a name that begins like an allowed one for it',
  }),
  {
    id: 'CVE-2025-54576',
    product: 'OAuth2 Proxy',
    what: 'found a public path in the query of a guarded one',
    row: 'T52',
    answer: 'token_missing',
    attack: () => ({ path: '/api/v1/orders?/api/v1/getCaptcha' }),
  },
  {
    id: 'CVE-2026-33807',
    product: '@fastify/express',
    what: 'never ran the guard of routes in a nested scope',
    row: 'T57',
    answer: 'token_missing',
    attack: () => ({ path: '/api/v1/orders/7' }),
  },
  {
    id: 'CVE-2024-47070',
    product: 'authentik',
    what: 'skipped a stage whose policy failed on an address',
    row: 'T58',
    answer: 'permission_denied',
    attack: ({ gina }) => withToken(gina, { ...orders, headers: { 'x-forwarded-for': 'a' } }),
  },
  {
    id: 'CVE-2019-16097',
    product: 'Harbor',
    what: 'let anybody ask to be an administrator',
    row: 'T61',
    answer: 'permission_denied',
    attack: ({ gina }) =>
      withToken(gina, { method: 'PUT', path: '/api/v1/users/5/role', body: { roleId: 1 } }),
  },
];
