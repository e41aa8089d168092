// Random requests: near the routes of the table and the rules of the roles, spelt well or badly.
import { METHODS } from 'node:http';
import type { Random } from '../random.ts';
import { presentTokens } from './carriers.ts';
import { bytesOf, type HttpCase } from './request.ts';
import { fullBody, type ReferenceRoute, routeTable } from './route-table.ts';
import { mutateTarget } from './target-mutators.ts';

const strangePaths = [
  ...[
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/refresh_token',
    '/api/v1/unknown',
    '/api/v2/orders',
    '/orders',
  ],
  ...[
    '/console/',
    '/health',
    '/metrics',
    '/api/v1/admin',
    '/api/v1/orders/7/8',
    '/api/v1/__proto__',
    '/favicon.ico',
  ],
  ...['/api/v1/users', '/api/v1/roles', '/api/v1/order', '/api/v1/ordersx', '/api/v1/reports/2026'],
];
const values: Readonly<Record<string, readonly string[]>> = {
  ':id': [
    '7',
    'a1',
    '999999',
    '900001',
    '1e9',
    '900001.0',
    '0',
    '-1',
    'X',
    '0x7',
    '9007199254740993',
    'a.b',
    '1',
  ],
  ':kid': ['zz9', 'ZZ9', 'zz-9', '0'],
  ':jti': ['AAAAAAAAAAAAAAAAAAAAAA', 'AAAA', '_-AAAAAAAAAAAAAAAAAAAA'],
  ':year': ['2026', '~', 'a.b', '...', '-', 'x'.repeat(64), '7'],
  ':month': ['01', '.x', '..x', '_', '7', 'constructor'],
};
/** Not PRI, the preface of HTTP/2 (T25): Node waits for the rest of it, and ends the connection without an answer. */
const strangeMethods = ['get', 'Get', 'GET\t', 'FETCH', 'GETT', 'G', 'post', '*', '\tGET', 'GET\0', 'FOO'];
const plainMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'];
const versions = [
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.2',
  'HTTP/3.0',
  'http/1.1',
  'HTTP/1',
  'HTTP/1.1x',
];
const bodies = [fullBody, fullBody, '{}'];

const sites = ['same-origin', 'none', 'same-site', 'cross-site', 'None', 'same-origin, cross-site', ''];
const origins = ['http://rig', 'https://evil.example', 'null', 'http://rig.evil.example', ''];
/** None of them may change the decision, but for the signs of the own site. */
const furtherHeaders: readonly ((random: Random) => readonly [string, string])[] = [
  (random) => ['X-HTTP-Method-Override', random.pick(plainMethods)],
  (random) => ['X-Method-Override', random.pick(plainMethods)],
  (random) => ['X-HTTP-Method', random.pick(plainMethods)],
  (random) => ['X-Original-URL', random.pick(routeTable).path],
  (random) => ['X-Rewrite-URL', random.pick(routeTable).path],
  (random) => ['X-Forwarded-Prefix', random.pick(['/api/v1', '/..', '/api/v1/greeting'])],
  (random) => ['X-Forwarded-For', random.pick(['127.0.0.1', 'a', '::1', '10.0.0.1, 127.0.0.1'])],
  (random) => ['X-Forwarded-Uri', random.pick(routeTable).path],
  () => ['X-Forwarded-Host', 'localhost'],
  () => ['X-Forwarded-Proto', 'https'],
  () => ['Forwarded', 'for=127.0.0.1;host=localhost'],
  () => ['X-Real-IP', '127.0.0.1'],
  (random) => ['Connection', random.pick(['close', 'keep-alive', 'authorization, cookie'])],
  () => ['X-Role', 'admin'],
  () => ['X-User-Id', '1'],
  (random) => ['Accept-Language', random.pick(['zh-CN', 'en', '*', 'x'.repeat(300)])],
  (random) => ['Sec-Fetch-Site', random.pick(sites)],
  (random) => ['Sec-Fetch-Site', random.pick(sites.slice(0, 2))],
  (random) => ['Origin', random.pick(origins)],
  () => ['X-Requested-With', 'XMLHttpRequest'],
  () => ['X-Requested-With', ''],
  (random) => ['User-Agent', String.fromCharCode(0x20 + random.below(0x5f), 0x80 + random.below(0x80))],
];
const brokenHeaders: readonly (readonly [string, string])[] = [
  ['X ', 'y'],
  ['X\t', 'y'],
  ['', 'y'],
  ['X\x80', 'y'],
  ['X', 'a\0b'],
  ['X', 'a\x01b'],
  ['X', 'a\x7fb'],
  ['X', 'a\nAuthorization: Bearer x'],
  ['X', 'a\r\n folded'],
  ['X(', 'y'],
];

export function generateCase(random: Random, pickToken: () => string): HttpCase {
  const route = pickRoute(random);
  const { headers, pairs } = presentTokens(random, pickToken);
  const path = random.once(25) ? random.pick(strangePaths) : pathOf(random, route);
  let target = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
  for (let i = random.pick([0, 0, 0, 0, 0, 1, 1, 2]); i > 0; i--) target = mutateTarget(random, target);
  const method = pickMethod(random, route);
  const isBodied = !['GET', 'HEAD', 'TRACE', 'CONNECT'].includes(method) && METHODS.includes(method);
  return {
    method,
    target,
    version: random.once(100) ? random.pick(versions) : 'HTTP/1.1',
    headers: shuffle(random, [...hostHeaders(random), ...headers, ...moreHeaders(random)]),
    body: isBodied && !random.once(4) ? random.pick(bodies) : undefined,
  };
}

/** A captcha is drawn for every fetch, which takes as long as twenty other requests. */
function pickRoute(random: Random): ReferenceRoute {
  const route = random.pick(routeTable);
  return /captcha$/i.test(route.path) && !random.once(10) ? random.pick(routeTable) : route;
}

function pathOf(random: Random, { path }: ReferenceRoute): string {
  return path.replace(/:[a-z]+/g, (name) => random.pick(values[name] ?? ['7']));
}

function pickMethod(random: Random, { method }: ReferenceRoute): string {
  const plan = random.below(40);
  if (plan < 31) return method;
  if (plan < 36) return random.pick(plainMethods);
  return plan < 39 ? random.pick(METHODS) : random.pick(strangeMethods);
}

function hostHeaders(random: Random): (readonly [string, string])[] {
  if (!random.once(100)) return [['Host', 'rig']];
  return random.once(2)
    ? []
    : [
        ['Host', 'rig'],
        ['host', random.pick(['rig', 'evil', ''])],
      ];
}

function moreHeaders(random: Random): (readonly [string, string])[] {
  if (random.once(150)) return [random.pick(brokenHeaders)];
  return random.list(random.pick([0, 0, 1, 1, 2, 4]), () => random.pick(furtherHeaders)(random));
}

function shuffle<T>(random: Random, list: T[]): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const [a, b] = [list[i], list[j]];
    if (a !== undefined && b !== undefined) [list[i], list[j]] = [b, a];
  }
  return list;
}

export function describeCase(sent: HttpCase): string {
  return JSON.stringify(
    bytesOf(sent)
      .replace(/eyJ[\w-]{20,}(?:\.[\w-]*)*/gi, '<token>')
      .replace(/([aq])\1{60,}/g, '$1...')
      .slice(0, 800),
  );
}
