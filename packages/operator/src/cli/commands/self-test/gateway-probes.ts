// The requests (probes) that a gateway must refuse from every client. They contain no secret and no valid token: each
// one lacks what it needs to be allowed.
import { randomBytes } from 'node:crypto';

export interface Probe {
  readonly name: string;
  readonly method: string;
  /** Sent exactly as written, without normalisation. */
  readonly target: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /**
   * Whether the body is sent later than the head. A gateway that answers before the body arrives
   * decides on half a request.
   */
  readonly holdsBody: boolean;
  /** The expected reason of the refusal. `not_found` is the reason for a target that is not canonical. */
  readonly expected: 'token_missing' | 'token_malformed' | 'not_found';
}

export function listProbes(path: string): Probe[] {
  const probe = (name: string, expected: Probe['expected'], parts: Partial<Probe> = {}): Probe => ({
    ...{ name, expected, method: 'GET', target: path, headers: [], holdsBody: false },
    ...parts,
  });
  const forged = forgeToken({ alg: 'ES256', typ: 'JWT', kid: 'self-test' }, randomBytes(64));
  const unsigned = forgeToken({ alg: 'none', typ: 'JWT' }, randomBytes(1));
  return [
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) =>
      probe(`${method} without a token`, 'token_missing', { method }),
    ),
    probe('a forged token as Authorization', 'token_malformed', { headers: bearer(forged) }),
    probe('an unsigned token as Authorization', 'token_malformed', { headers: bearer(unsigned) }),
    probe('a forged token in the query', 'token_malformed', { target: `${path}?token=${forged}` }),
    probe('a forged token as the cookie', 'token_malformed', { headers: ['Cookie', `jwt=${forged}`] }),
    probe('identity headers of an administrator', 'token_missing', { headers: spoofedIdentity }),
    probe('the same, spelt with underscores', 'token_missing', { headers: underscored(spoofedIdentity) }),
    probe('headers that name another request', 'token_missing', { headers: spoofedQuestion }),
    ...['websocket', 'h2c'].map((protocol) =>
      probe(`an upgrade to ${protocol}`, 'token_missing', { headers: upgradeTo(protocol) }),
    ),
    probe('a body that comes late', 'token_missing', { method: 'POST', holdsBody: true }),
    ...listHostileTargets(path).map((target) => probe(`the target ${target}`, 'not_found', { target })),
  ];
}

const upgradeTo = (protocol: string) => [
  ...['Upgrade', protocol],
  ...['Sec-WebSocket-Version', '13'],
  ...['Sec-WebSocket-Key', randomBytes(16).toString('base64')],
  ...['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
];

const bearer = (token: string) => ['Authorization', `Bearer ${token}`];

const spoofedIdentity = [
  ...['X-Portcullis-User-Id', '1'],
  ...['X-Portcullis-Username', 'admin'],
  ...['X-Portcullis-Role-Id', '1'],
  ...['X-Portcullis-Role-Key', 'admin'],
  ...['X-Portcullis-Data-Scope', '1'],
];

/** Headers that only the gateway sends to Portcullis, and headers that Portcullis sends back to the gateway. */
const spoofedQuestion = [
  ...['X-Portcullis-Secret', 'self-test'],
  ...['X-Portcullis-Status', '200'],
  ...['X-Forwarded-Method', 'GET'],
  ...['X-Forwarded-Uri', '/api/v1/getCaptcha'],
  ...['X-Original-URL', '/api/v1/getCaptcha'],
  ...['X-Rewrite-URL', '/api/v1/getCaptcha'],
  ...['X-HTTP-Method-Override', 'OPTIONS'],
];

function underscored(headers: readonly string[]): string[] {
  return headers.map((text, index) => (index % 2 === 0 ? text.replaceAll('-', '_') : text));
}

/** Variants of the path that a gateway or a service could normalise to the path. */
function listHostileTargets(path: string): string[] {
  const last = path.lastIndexOf('/');
  const [folder, name] = [path.slice(0, last), path.slice(last + 1)];
  const encoded = `%${name.charCodeAt(0).toString(16)}`;
  return [
    `/${path}`,
    `${folder}//${name}`,
    `${folder}/./${name}`,
    `${folder}/x/../${name}`,
    `${folder}/x/%2e%2e/${name}`,
    `${folder}/${encoded}${name.slice(1)}`,
    `${folder}%2f${name}`,
    `${folder}/x\\..\\${name}`,
    `${folder}/${name};x=1`,
    `${folder}/${name}%00`,
    `${folder}/..;/${name}`,
  ];
}

function forgeToken(header: object, signature: Buffer): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    ...{ identity: 1, roleid: 1, rolekey: 'admin', nice: 'admin', datascope: '1', sub: '1' },
    ...{ iss: 'portcullis', iat: now, exp: now + 3600, jti: randomBytes(16).toString('base64url'), ep: 0 },
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature.toString('base64url')}`;
}
