// How a token comes along: in two headers, in a cookie of another name, or with a visitor of another site.
import { present } from '../../rig/carriers.ts';
import type { Request } from '../../rig/http-client.ts';
import { type Advisory, type Notice, orders, type World } from './advisory.ts';

export const listedOrigin = 'https://good.example';

const cookie = (value: (token: string) => string, notice: Notice): Advisory => ({
  ...notice,
  row: 'T24',
  answer: 'token_missing',
  attack: ({ ada }) => ({ ...orders, headers: { cookie: value(ada) } }),
});

/** A call by the cookie of an administrator who visits another site. */
const forged = (request: Request, notice: Notice): Advisory => ({
  ...notice,
  row: 'T21',
  answer: 'cross_site',
  attack({ ada }) {
    const site = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    return present(ada, 'cookie', { ...request, headers: { ...request.headers, ...site } });
  },
});
const order = JSON.stringify({ item: 'chair', count: 1 });
const addOrder = (type: Record<string, string>): Request => ({
  method: 'POST',
  path: '/api/v1/orders',
  text: order,
  headers: type,
});

/** A browser asks whether a page of this origin may read answers. */
const preflight = (origin: string, notice: Notice): Advisory => ({
  ...notice,
  row: 'T23',
  answer: 'not found',
  attack: ({ ada }) =>
    present(ada, 'cookie', {
      ...orders,
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    }),
});

const twice = ({ ada, gina }: World) =>
  `GET /api/v1/orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${gina}\r\nAuthorization: Bearer ${ada}\r\n\r\n`;
const basic =
  'GET /api/v1/orders HTTP/1.1\r\nHost: localhost\r\nConnection: close, X-F5-Auth-Token\r\nX-F5-Auth-Token: x\r\nAuthorization: Basic YWRtaW46\r\n\r\n';

export const carriers: readonly Advisory[] = [
  {
    id: 'CVE-2021-32777',
    product: 'Envoy',
    what: 'asked for permission with one of two values of a header',
    row: 'T19',
    answer: 'token_malformed',
    attack: twice,
  },
  {
    id: 'CVE-2022-1388',
    product: 'F5 BIG-IP',
    what: 'believed any name once Connection had removed the token',
    row: 'T20',
    answer: 'token_malformed',
    attack: () => basic,
  },
  forged(addOrder({ 'content-type': 'text/plain; application/json' }), {
    id: 'CVE-2022-41919',
    product: 'Fastify',
    what: 'read JSON out of a request that needs no preflight',
  }),
  forged(
    { method: 'DELETE', path: '/api/v1/orders/7' },
    { id: 'CVE-2024-48913', product: 'Hono', what: 'called a request without a content type safe' },
  ),
  forged(addOrder({ 'content-type': 'text/plain' }), {
    id: 'CVE-2023-29003',
    product: 'SvelteKit',
    what: 'knew some of the content types that a form can send',
  }),
  forged(addOrder({ 'content-type': 'application/x-www-form-urlencoded; abc' }), {
    id: 'CVE-2024-56140',
    product: 'Astro',
    what: 'did not know a form by a content type with a parameter',
  }),
  preflight('https://evil.example', {
    id: 'CVE-2018-8014',
    product: 'Apache Tomcat',
    what: 'let every origin read with credentials, by default',
  }),
  preflight('null', {
    id: 'CVE-2024-25124',
    product: 'Fiber',
    what: 'let any origin and credentials be allowed together',
  }),
  preflight(`${listedOrigin}.evil.com`, {
    id: 'CVE-2019-25211',
    product: 'gin-contrib/cors',
    what: 'allowed origins that begin like an allowed one',
  }),
  cookie((token) => `%6awt=${token}`, {
    id: 'CVE-2020-8184',
    product: 'Rack',
    what: 'took a cookie with an encoded name for the one that it encodes',
  }),
  cookie((token) => `j%77t=${token}`, {
    id: 'CVE-2020-7070',
    product: 'PHP',
    what: 'decoded the names of cookies',
  }),
  cookie((token) => `=jwt=${token}`, {
    id: 'CVE-2023-23934',
    product: 'Werkzeug',
    what: 'read a cookie without a name as one with a name',
  }),
];
