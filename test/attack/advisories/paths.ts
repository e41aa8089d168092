// Other spellings of a path. An administrator sends them, whom nothing but the gate before the router would stop.
import { type Advisory, type Notice, withToken } from './advisory.ts';

/** The notices of a row, each behind the path that stands for it. */
function spelt(row: string, notices: Readonly<Record<string, Notice>>): Advisory[] {
  return Object.entries(notices).map(([path, notice]) => ({
    ...notice,
    row,
    answer: 'not found',
    attack: ({ ada }) => withToken(ada, { path }),
  }));
}
const notice = (id: string, product: string, what: string): Notice => ({ id, product, what });

const encoded = spelt('T34', {
  '/%61pi/v1/orders': notice(
    'CVE-2026-22031',
    '@fastify/middie',
    'guarded a path and routed its encoded twin past the guard',
  ),
  '/api/v1/%6Frders': notice('CVE-2026-22037', '@fastify/express', 'asked no guard about encoded letters'),
  '/api/v1/order%73': notice('CVE-2025-64765', 'Astro', 'decoded the path for routes but not for the check'),
});

const encodedTwice = spelt('T35', {
  '/%2561pi/v1/orders': notice('CVE-2025-66202', 'Astro', 'decoded once for the check and twice for routes'),
  '/api/v1/getCaptcha/%252e%252e/orders': notice(
    'CVE-2025-0108',
    'PAN-OS',
    'had two servers decode one path, each once',
  ),
  '/api/v1/x/%252e%252e/orders': notice('CVE-2018-3760', 'Sprockets', 'looked for dots before it decoded'),
  '/api/v1/orders%252f7': notice('CVE-2020-11989', 'Apache Shiro', 'decoded a path that was decoded already'),
  '/api/v1/%256frders': notice('CVE-2021-28169', 'Eclipse Jetty', 'decoded a guarded name a second time'),
});

const slashes = spelt('T36', {
  '/api/v1/getCaptcha%2F..%2Forders': notice(
    'CVE-2021-29492',
    'Envoy',
    'left encoded slashes to servers that decode them',
  ),
  '/api/v1/orders%2F7': notice('CVE-2026-14198', '@fastify/middie', 'did not see an encoded slash as one'),
  '/api/v1/x\\..\\orders': notice('CVE-2007-0450', 'Apache Tomcat', 'took a backslash for a slash'),
  '/api/v1/getCaptcha/..%2forders': notice(
    'GHSA-m8m5-v4jf-3wcm',
    'Caddy',
    'matched the raw path and served the decoded one',
  ),
});

const doubled = spelt('T37', {
  '/api/v1//orders': notice('CVE-2025-71399', 'Better Auth', 'routed doubled slashes past disabled paths'),
  '//api/v1/orders': notice('CVE-2023-4853', 'Quarkus', 'had no policy for a path with slashes too many'),
  '/api//v1/orders': notice('CVE-2021-43557', 'Apache APISIX', 'held its block list against the raw path'),
  '/api/v1/orders//7': notice('CVE-2021-31920', 'Istio', 'had no rule for doubled and encoded slashes'),
  '///api/v1/orders': notice('CVE-2026-2880', '@fastify/middie', 'did not tidy up a path as the router did'),
});

const trailing = spelt('T38', {
  '/api/v1/orders/': notice('CVE-2026-15573', 'Keycloak', 'applied a weaker policy to a path that ends in /'),
});

const dotted = spelt('T39', {
  '/./api/v1/orders': notice(
    'CVE-2010-3863',
    'Apache Shiro',
    'compared paths with dots in them as they came',
  ),
  '/api/v1/orders/%2e': notice('CVE-2020-17510', 'Apache Shiro', 'saw another path in an encoded dot'),
  '/api/v1/getCaptcha/../orders': notice('CVE-2019-9901', 'Envoy', 'checked paths without resolving them'),
  '/api/v1/x/.%2e/orders': notice(
    'CVE-2021-41773',
    'Apache httpd',
    'knew no dot segment that is half encoded',
  ),
  '/api/v1/x/%u002e%u002e/orders': notice(
    'CVE-2023-32315',
    'Openfire',
    'let a page of the set-up lead outside',
  ),
  '/api/v1/x/../../v1/orders': notice('CVE-2017-14849', 'Node.js', 'resolved dots otherwise than its guards'),
  '/api/v1/greeting/../orders': notice(
    'CVE-2025-32431',
    'Traefik',
    'chose the checks before it resolved dots',
  ),
  '/api/./v1/orders': notice(
    'CVE-2021-40539',
    'ADSelfService Plus',
    'filtered no path that began with a dot',
  ),
});

const parameters = spelt('T40', {
  '/x/..;/api/v1/orders': notice(
    'CVE-2020-1957',
    'Apache Shiro',
    'cut the path for the check at a semicolon',
  ),
  '/api/v1/orders/%3b7': notice('CVE-2020-13933', 'Apache Shiro', 'cut the path at an encoded semicolon too'),
  '/api/v1/getCaptcha/..;/orders': notice(
    'CVE-2020-5902',
    'F5 BIG-IP',
    'guarded less than its backend resolved',
  ),
  '/api/v1/orders;.jsp': notice('CVE-2024-27198', 'TeamCity', 'called a path public for the ending behind ;'),
  '/api/v1/orders;x=%2F': notice('CVE-2016-9879', 'Spring Security', 'lost a constraint to a path parameter'),
  '/api/v1/orders%3Bx': notice('CVE-2026-74909', 'Keycloak', 'mended plain semicolons and left encoded ones'),
  '/api/v1;x/orders': notice('CVE-2026-33808', '@fastify/express', 'ran no middleware on a path with a ;'),
});

const cased = spelt('T43', {
  '/API/v1/orders': notice('CVE-2024-31621', 'Flowise', 'guarded paths in small letters and served all'),
  '/api/v1/Orders': notice('CVE-2024-6866', 'Flask-CORS', 'matched paths whatever their case'),
});

const strayBytes = spelt('T44', {
  '/api/v1/orders%20': notice('CVE-2016-5007', 'Spring Security', 'guarded a path that was trimmed later'),
  '/api/v1/orders/%20': notice('CVE-2020-17523', 'Apache Shiro', 'saw no segment in a space'),
  '/api/v1/orders%0a': notice('CVE-2022-22978', 'Spring Security', 'let a line break end its pattern'),
  '/api/v1/orders%0d': notice('CVE-2022-32532', 'Apache Shiro', 'had a pattern whose dot is no line break'),
  '/api/v1/x/%c0%ae%c0%ae/orders': notice('CVE-2008-2938', 'Apache Tomcat', 'read overlong UTF-8 as dots'),
  '/api/v1/.%00/orders': notice('CVE-2021-34429', 'Eclipse Jetty', 'resolved dots with other bytes between'),
});

const publicParts = spelt('T52', {
  '/api/v1/getCaptcha/../../v1/orders': notice(
    'CVE-2023-46805',
    'Ivanti Connect Secure',
    'asked no token for what begins like a public path',
  ),
});

export const paths: readonly Advisory[] = [
  ...encoded,
  ...encodedTwice,
  ...slashes,
  ...doubled,
  ...trailing,
  ...dotted,
  ...parameters,
  ...cased,
  ...strayBytes,
  ...publicParts,
];
