// The service that the HTTP fuzzer talks to: roles of every kind of rule, and tokens of every state, with what the
// reference must know of them.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '../../rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../../rig/http-client.ts';
import { addUser, roles, seed } from '../../rig/seed.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import { type Claims, encode, expiredClaims, readSigningKey, signToken } from '../../rig/tokens.ts';
import { patience } from '../fuzzer.ts';
import type { ReferenceRule } from '../reference.ts';
import { signLow } from '../sign-low.ts';
import type { ReferenceWorld, TokenState } from './reference-outcome.ts';

/** Beside those of the seed. */
const furtherRoles: Readonly<Record<string, readonly string[]>> = {
  literal: [
    'GET /api/v1/orders/7',
    'DELETE /api/v1/orders/7',
    'GET /api/v1/reports/2026/01',
    'POST /api/v1/keys/zz9/retire',
  ],
  named: [
    'GET /api/v1/reports/:year/:month',
    'PUT /api/v1/orders/:id',
    'DELETE /api/v1/users/:id/sessions',
    'PUT /api/v1/users/:id/enabled',
    'POST /api/v1/roles/:id/rules',
  ],
  deep: ['GET /api/v1/orders/*', 'POST /api/v1/keys/*', '* /api/v1/sessions/*', 'GET /api/v1/reports/2026/*'],
  methods: [
    '* /api/v1/orders',
    '* /api/v1/bulletins',
    '* /api/v1/users/:id',
    'HEAD /api/v1/keys',
    'OPTIONS /api/v1/keys',
  ],
  everything: ['* /api/v1/*'],
  readsall: ['GET /*'],
  root: ['* /'],
  crossing: ['GET /api/v1/:a/:b', 'DELETE /:a/:b/:c/:d', 'PUT /api/:version/users/:id/role'],
  administrator: [],
  'admin-2': ['GET /api/v1/orders'],
};
const powerfulRoles = ['admin', 'everything', 'readsall'];
/** Stored past the grammar: skipped and reported, so they grant nothing. */
const brokenRules = [
  'get /api/v1/orders',
  'GET /api/v1/order*',
  'GET /api/v1/.*',
  'GET /api/v1/orders/:',
  'GET api/v1/orders',
  'ANY /api/v1/*',
  'GET /api/v1/*/7',
  'GET /api/v1/(orders|keys)',
  'GET|POST /api/v1/orders',
];

const exclusions = [
  'POST /api/v1/login',
  'POST /api/v1/logout',
  'GET /api/v1/getCaptcha',
  'GET /api/v1/captcha',
  'GET /api/v1/user/profile',
  'GET /api/v1/notices',
];

export interface HttpWorld extends ReferenceWorld {
  readonly server: Server;
  /** The texts of the tokens: those that live, those that ended, and those that never were. */
  readonly live: readonly string[];
  /** Those of them that may most. */
  readonly powerful: readonly string[];
  readonly dead: readonly string[];
  readonly forged: readonly string[];
  countEntries(): Promise<number>;
  stop(): Promise<void>;
}

export async function createHttpWorld(): Promise<HttpWorld> {
  const database = await createDatabase({ migrated: true });
  try {
    await seed(database);
    await addRoles(database);
    // The console's addresses are public, and have tests of their own.
    const settings = {
      ...patience,
      PERMISSION_EXCLUSIONS: JSON.stringify(exclusions),
      APPLICATION_CONSOLE: 'false',
    };
    const server = await startServer({ databaseUrl: database.url, settings });
    const client = createHttpClient(server.port, { remembers: false, resends: true });
    const tokens = await createTokens(database, client);
    return {
      ...tokens,
      server,
      rules: Object.entries({ ...seededRules(), ...furtherRoles }).flatMap(([key, list]) =>
        rulesOf(key, list),
      ),
      exclusions: new Set(exclusions),
      async countEntries() {
        const { body } = await client.send({ path: '/api/v1/entries' });
        return (body.data as { entries: number }).entries;
      },
      async stop() {
        client.close();
        await server.stop();
        await database.drop();
      },
    };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

function seededRules(): Record<string, readonly string[]> {
  return Object.fromEntries(roles.map(({ key, rules }) => [key, rules]));
}

function rulesOf(roleKey: string, list: readonly string[]): ReferenceRule[] {
  return list.map((line) => {
    const [method = '', path = ''] = line.split(' ');
    return { roleKey, method, path };
  });
}

const leavers = ['disabled', 'deleted', 'promoted', 'changed', 'ended'] as const;

async function addRoles(database: Database): Promise<void> {
  for (const [key, rules] of Object.entries({ ...furtherRoles, broken: brokenRules })) {
    const [role] = await database.query<{ id: string }>(
      `insert into roles (id, role_key, name, data_scope) select max(id) + 1, $1, $1, '4' from roles returning id`,
      [key],
    );
    for (const { method, path } of rulesOf(key, rules))
      await database.query('insert into rules (role_id, method, path) values ($1, $2, $3)', [
        role?.id,
        method,
        path,
      ]);
    await addUser(database, { username: `of-${key}`, role: key, passwordHash: 'none' });
  }
  for (const username of leavers)
    await addUser(database, { username, role: 'everything', passwordHash: 'none' });
}

async function createTokens(database: Database, client: HttpClient) {
  const key = await readSigningKey(database, { dev: false });
  const people = await database.query<Person>(
    `select users.id::int, username, role_id::int, role_key, data_scope, epoch::int from users join roles on roles.id = role_id`,
  );
  const claims = new Map(people.map((person) => [person.username, claimsOf(person)]));
  const of = (username: string): Claims => ({ ...claims.get(username), jti: newJti() });
  const head = encode({ alg: 'ES256', typ: 'JWT', kid: key.kid });
  const sign = (text: Claims) => signLow(`${head}.${encode(text)}`, key.privateKey);
  const tokens = new Map<string, TokenState>();
  const add = (list: string[], token: string, state: TokenState) => {
    tokens.set(token, state);
    list.push(token);
  };
  const [live, dead, forged]: [string[], string[], string[]] = [[], [], []];

  const staying = people.filter(
    ({ username }) => !isLeaver(username) && username !== 'dora' && username !== 'otto',
  );
  for (const { username, role_key } of staying) add(live, sign(of(username)), { roleKey: role_key });
  for (const { username } of staying)
    add(dead, sign(expiredClaims(of(username))), { refused: 'token_expired' });
  const leaving = [
    ...['ada', 'carl', 'alba', ...leavers].map(of),
    // Of a disabled role, and with a role, a key or a scope that the directory does not confirm.
    ...[
      of('otto'),
      { ...of('gina'), rolekey: 'admin' },
      { ...of('gina'), roleid: 1 },
      { ...of('carl'), datascope: '1' },
    ],
    { ...of('gina'), roleid: 999 },
  ].map(sign);
  for (const token of leaving) add(dead, token, { refused: 'token_revoked' });
  await endAccess(client, sign(of('ada')), leaving.slice(0, 3), (name) => Number(of(name).identity));
  for (const token of forge(of('ada'), live, key.kid)) add(forged, token, { refused: 'token_malformed' });
  const powerful = live.filter((token) => {
    const state = tokens.get(token);
    return state !== undefined && 'roleKey' in state && powerfulRoles.includes(state.roleKey);
  });
  return { tokens, live, powerful, dead, forged };
}

interface Person {
  readonly id: number;
  readonly username: string;
  readonly role_id: number;
  readonly role_key: string;
  readonly data_scope: string;
  readonly epoch: number;
}

function claimsOf({ id, username, role_id, role_key, data_scope, epoch }: Person): Claims {
  const iat = Math.floor(Date.now() / 1000);
  const names = { identity: id, roleid: role_id, rolekey: role_key, nice: username, datascope: data_scope };
  return { ...names, sub: String(id), iss: 'portcullis', iat, exp: iat + 86_400, jti: '', ep: epoch };
}

const newJti = () => randomBytes(16).toString('base64url');
const isLeaver = (username: string) => leavers.some((name) => name === username);

/** Ends what is to be ended by the product's own calls. */
async function endAccess(
  client: HttpClient,
  admin: string,
  loggedOut: readonly string[],
  idOf: (username: string) => number,
): Promise<void> {
  const call = async (token: string, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await client.send({ method, path: `/api/v1${path}`, headers, ...(body && { body }) });
    if (answer.body.code !== 200) throw new Error(`${method} ${path} was answered ${answer.text}`);
  };
  for (const token of loggedOut) await call(token, 'POST', '/logout');
  await call(admin, 'PUT', `/users/${idOf('disabled')}/enabled`, { enabled: false });
  await call(admin, 'DELETE', `/users/${idOf('deleted')}`);
  await call(admin, 'PUT', `/users/${idOf('promoted')}/role`, { roleId: 1 });
  await call(admin, 'PUT', `/users/${idOf('changed')}/password`, { password: 'Another-password-0815' });
  await call(admin, 'DELETE', `/users/${idOf('ended')}/sessions`);
}

function forge(claims: Claims, live: readonly string[], kid: string): string[] {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [token = '', other = ''] = live;
  const [head = '', payload = '', signature = ''] = token.split('.');
  const none = encode({ alg: 'none', typ: 'JWT', kid });
  return [
    signToken(claims, { kid, privateKey }),
    signToken(claims, { kid: 'other', privateKey }),
    `${none}.${encode(claims)}.`,
    `${none}.${encode(claims)}.${signature}`,
    `${head}.${encode({ ...claims, rolekey: 'admin', roleid: 1 })}.${signature}`,
    `${head}.${payload}.${other.split('.')[2]}`,
    `${head}.${payload}`,
    `${token}.`,
    `${token}A`,
    `${token}=`,
    token.slice(0, -1),
    token.slice(1),
    token.toUpperCase(),
    'no.such.token',
    'a'.repeat(5000),
    'null',
  ];
}
