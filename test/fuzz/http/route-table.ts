// Every route of the rig's business service, written out by hand: what the reference takes for the truth. A route that
// the product adds without a line here shows as a difference.

type Test = (text: string) => boolean;

export interface ReferenceRoute {
  readonly method: string;
  readonly path: string;
  readonly access: 'public' | 'identity' | 'permission';
  readonly params?: Readonly<Record<string, Test>>;
  /** What a body must have: the members of `fullBody` that the schema asks for. */
  readonly body?: readonly string[];
  /** Whether a body with anything else is refused. */
  readonly isClosed?: true;
  /** A handler of the rig, which counts its entries. */
  readonly isCounted?: true;
  /** Whether a request that is to be allowed may be sent: some handlers would end what the run stands on. */
  readonly isHarmless?: (values: readonly string[]) => boolean;
}

/** A body that every open endpoint but login and the rig's waits accepts. */
export const fullBody = JSON.stringify({
  item: 'chair',
  count: 1,
  enabled: true,
  roleId: 900_009,
  dataScope: '5',
  add: [{ method: 'GET', path: '/api/v1/nothing' }],
});

const never = () => false;
const always = () => true;
const isId: Test = (text) => {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= Number.MAX_SAFE_INTEGER;
};
const id = { id: isId };
const kid = { kid: (text: string) => /^[a-z0-9]{1,16}$/.test(text) };
const jti = { jti: (text: string) => /^[A-Za-z0-9_-]{22}$/.test(text) };
const orderId = { id: (text: string) => /^[a-z0-9]{1,16}$/.test(text) };
/** Ids that no user has. */
const isUnknownUser = ([text]: readonly string[]) => Number(text) >= 900_000;
const isNoKey = ([text]: readonly string[]) => text === 'zz9';

function define(line: string, further: Omit<ReferenceRoute, 'method' | 'path' | 'access'> = {}) {
  const [access, method = '', path = ''] = line.split(' ');
  return { access: access as ReferenceRoute['access'], method, path, ...further };
}

export const routeTable: readonly ReferenceRoute[] = [
  define('public GET /api/v1/getCaptcha'),
  define('public GET /api/v1/captcha'),
  define('public POST /api/v1/login', { body: ['username', 'password'] }),
  define('permission POST /api/v1/logout', { isHarmless: never }),
  define('permission GET /api/v1/user/profile'),
  define('identity GET /api/v1/getinfo'),
  define('permission GET /api/v1/sessions'),
  define('permission GET /api/v1/sessions/:jti', { params: jti }),
  define('permission DELETE /api/v1/sessions/:jti', { params: jti }),
  define('permission DELETE /api/v1/users/:id/sessions', { params: id, isHarmless: isUnknownUser }),
  define('permission DELETE /api/v1/sessions', { isHarmless: never }),
  define('public GET /api/v1/jwks'),
  define('permission GET /api/v1/keys'),
  define('permission POST /api/v1/keys', { isHarmless: never }),
  define('permission POST /api/v1/keys/:kid/activate', { params: kid, isHarmless: isNoKey }),
  define('permission POST /api/v1/keys/:kid/retire', { params: kid, isHarmless: isNoKey }),
  define('permission POST /api/v1/keys/:kid/emergency-retire', { params: kid, isHarmless: isNoKey }),
  define('identity PUT /api/v1/user/password', { body: ['oldPassword', 'newPassword'], isClosed: true }),
  define('permission GET /api/v1/users'),
  define('permission POST /api/v1/users', { body: ['username', 'name', 'departmentId'], isClosed: true }),
  define('permission GET /api/v1/users/:id', { params: id }),
  define('permission GET /api/v1/users/:id/activity', { params: id }),
  define('permission GET /api/v1/users/:id/access', { params: id }),
  define('permission PUT /api/v1/users/:id', { params: id, body: ['name', 'departmentId'], isClosed: true }),
  define('permission PUT /api/v1/users/:id/enabled', { params: id, body: ['enabled'], isClosed: true }),
  define('permission PUT /api/v1/users/:id/password', {
    params: id,
    body: [],
    isClosed: true,
    isHarmless: never,
  }),
  define('permission PUT /api/v1/users/:id/role', { params: id, body: ['roleId'], isClosed: true }),
  define('permission DELETE /api/v1/users/:id', { params: id, isHarmless: isUnknownUser }),
  define('permission GET /api/v1/roles'),
  define('permission POST /api/v1/roles', { body: ['roleKey', 'name', 'dataScope'], isClosed: true }),
  define('permission GET /api/v1/roles/:id', { params: id }),
  define('permission PUT /api/v1/roles/:id', { params: id, body: ['name', 'dataScope'], isClosed: true }),
  define('permission DELETE /api/v1/roles/:id', { params: id, isHarmless: isUnknownUser }),
  define('permission PUT /api/v1/roles/:id/enabled', { params: id, body: ['enabled'], isClosed: true }),
  define('permission PUT /api/v1/roles/:id/data-scope', { params: id, body: ['dataScope'], isClosed: true }),
  define('permission GET /api/v1/roles/:id/rules', { params: id }),
  // Or `remove`; a change of nothing is refused.
  define('permission POST /api/v1/roles/:id/rules', {
    params: id,
    body: ['add'],
    isClosed: true,
    isHarmless: isUnknownUser,
  }),
  define('permission GET /api/v1/instances'),
  define('public GET /api/v1/greeting', { isCounted: true }),
  define('identity GET /api/v1/context', { isCounted: true }),
  define('permission GET /api/v1/orders', { isCounted: true }),
  define('permission POST /api/v1/orders', { body: ['item', 'count'], isCounted: true }),
  define('permission GET /api/v1/orders/:id', { params: orderId, isCounted: true }),
  define('permission PUT /api/v1/orders/:id', { params: orderId, body: ['item', 'count'], isCounted: true }),
  define('permission DELETE /api/v1/orders/:id', { params: orderId, isCounted: true }),
  define('permission GET /api/v1/reports/:year/:month', {
    params: { year: always, month: always },
    isCounted: true,
  }),
  define('permission POST /api/v1/faults', { isHarmless: never }),
  define('permission GET /api/v1/notices', { isCounted: true }),
  define('permission POST /api/v1/notices', { isCounted: true }),
  define('permission GET /api/v1/notices/:id', { params: orderId, isCounted: true }),
  define('permission GET /api/v1/bulletins', { isCounted: true }),
  define('public POST /api/v1/waits', { isHarmless: never }),
  define('public GET /api/v1/entries'),
];

export interface FoundRoute {
  readonly route: ReferenceRoute;
  /** Of the parameters, in order. */
  readonly values: readonly string[];
}

/** Literal segments win over parameters, as they do nowhere in the table: no two routes of a method overlap. */
export function findRoute(method: string, path: string): FoundRoute | undefined {
  const actual = path.split('/');
  for (const route of routeTable) {
    const expected = route.path.split('/');
    if (route.method !== method || expected.length !== actual.length) continue;
    if (!expected.every((segment, index) => segment.startsWith(':') || segment === actual[index])) continue;
    return { route, values: actual.filter((_, index) => expected[index]?.startsWith(':')) };
  }
  return undefined;
}

/** Whether the values of the parameters and the body are what the route's schemas ask for. */
export function isValid({ route, values }: FoundRoute, body: string | undefined): boolean {
  const tests = Object.values(route.params ?? {});
  if (!tests.every((test, index) => test(values[index] ?? ''))) return false;
  if (route.body === undefined) return true;
  if (body === undefined) return false;
  const members = Object.keys(JSON.parse(body) as object);
  if (route.isClosed && !members.every((name) => route.body?.includes(name))) return false;
  return route.body.every((name) => members.includes(name));
}
