// A client that sends an identity or a target in headers that only the gateway is allowed to set.
import assert from 'node:assert/strict';
import { sendRaw } from '../rig/raw-socket.ts';
import type { GatewayCase } from './decision-cases.ts';
import { bodyOf, expectIdentity, isSentAgain, type Scene } from './expect.ts';

const identities = {
  'User-Id': '1',
  Username: 'ada',
  'Role-Id': '1',
  'Role-Key': 'admin',
  'Data-Scope': '1',
  Secret: 'x',
  Status: '200',
  Body: '{}',
};

/** Names that a service on WSGI, CGI or PHP reads as the same name. */
const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toLowerCase(),
  (name) => name.toUpperCase(),
  (name) => name.replaceAll('-', '_'),
  (name) => name.replaceAll('-', '_').toUpperCase(),
  (name) => name.replace('-', '_'),
  (name) => name.replace(/-(?=\w+$)/, '_'),
];
/** Names that some old one does. */
const strangeSpellings: typeof spellings = [
  (name) => name.replaceAll('-', '.'),
  (name) => name.replaceAll('-', '!'),
];

const leading = {
  'X-HTTP-Method-Override': 'DELETE',
  'X-HTTP-Method': 'DELETE',
  'X-Method-Override': 'DELETE',
  'X-Forwarded-Method': 'DELETE',
  'X-Forwarded-Uri': '/api/v1/reports/2024/05',
  'X-Forwarded-Path': '/api/v1/reports/2024/05',
  'X-Forwarded-Prefix': '/api/v1/reports',
  'X-Original-URL': '/api/v1/reports/2024/05',
  'X-Original-URI': '/api/v1/reports/2024/05',
  'X-Rewrite-URL': '/api/v1/reports/2024/05',
};

const names = Object.entries(identities).map(([name, value]) => [`X-Portcullis-${name}`, value] as const);
const lines = (pairs: readonly (readonly [string, string])[], how: typeof spellings) =>
  pairs.flatMap(([name, value]) => how.map((spell) => `${spell(name)}: ${value}\r\n`));
const named = lines(names, [...spellings, ...strangeSpellings]);
const spoofs: readonly string[] = [
  ...named,
  ...lines(Object.entries(leading), spellings),
  ...names.map(([name, value]) => `${name}: ${value}\r\n${name}: ${value}\r\n`),
  ...names.map(([name]) => `Connection: keep-alive, ${name}\r\n`),
  'Connection: X-Forwarded-Uri, X-Forwarded-Method, X-Portcullis-Secret\r\n',
  // All at once, as far as gateways take so many.
  named.join(''),
];

export const spoofingCases: readonly GatewayCase[] = [
  { title: 'refuses a client without a token that names itself', run: refuseNamed },
  { title: 'gives the service the identity of the token and no other', run: replaceIdentity },
];

async function refuseNamed(scene: Scene): Promise<number> {
  for (const spoof of spoofs) {
    const { answer, reached } = await request(scene, spoof);
    assert.equal(reached.length, 0, `reached the service with ${spoof.slice(0, 99)}`);
    assert.equal(answer.text, bodyOf('token_missing'), `told ${answer.text} with ${spoof.slice(0, 99)}`);
    assert.equal(answer.status, 200);
  }
  return spoofs.length;
}

async function replaceIdentity(scene: Scene): Promise<number> {
  const token = await scene.world.service.tokenOf('carl');
  for (const spoof of spoofs) {
    const { answer, reached } = await request(scene, `Authorization: Bearer ${token}\r\n${spoof}`);
    const [first] = reached;
    assert.ok(first, `did not reach the service with ${spoof.slice(0, 99)}: ${answer.raw}`);
    assert.equal(reached.length, 1);
    assert.equal(`${first.method} ${first.target}`, 'GET /api/v1/orders');
    expectIdentity(first, 'carl');
  }
  return spoofs.length;
}

async function request({ world, gateway }: Scene, headers: string) {
  for (let tries = 1; ; tries += 1) {
    const before = world.upstream.reached.length;
    const answer = await sendRaw(gateway.port, `GET /api/v1/orders HTTP/1.1\r\nHost: rig\r\n${headers}\r\n`);
    const reached = world.upstream.reached.slice(before);
    if (!isSentAgain(tries, answer.status, reached)) return { answer, reached };
  }
}
