// The client of a program against a server that answers what a test tells it to. What the service itself takes is held by
// test/conformance/machines.test.ts.
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMachineClient,
  type MachineKey,
  parseMachineKey,
  signAssertion,
} from '@portcullis/client/machine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMachineTokens } from '../src/machine/machine-tokens.ts';

const pairs = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const key: MachineKey = {
  account: 'bot',
  audience: 'https://admin.example.com',
  privateKey: { ...pairs.EdDSA.privateKey.export({ format: 'jwk' }) },
};

let baseUrl: string;
let logins: number;
let tokenSeconds: number;
/** What the next logins and calls are answered, before they are answered well. */
let loginFaults: Fault[];
let callFaults: Fault[];
let tokens: string[];
type Fault = 'reset' | { status: number; body: object; headers?: Record<string, string> };
const server = createServer((request, response) => respond(request, response));

beforeEach(async () => {
  [logins, tokenSeconds, loginFaults, callFaults, tokens] = [0, 600, [], [], []];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { url = '' } = request;
  const isLogin = url === '/api/v1/login';
  const fault = url.startsWith('/api/v1/getCaptcha')
    ? undefined
    : (isLogin ? loginFaults : callFaults).shift();
  if (fault === 'reset') return void response.destroy();
  if (!isLogin && !url.includes('getCaptcha')) tokens.push(String(request.headers.authorization));
  const { status, body, headers } = fault ?? { status: 200, body: goodAnswer(url), headers: {} };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function goodAnswer(url: string): object {
  if (url === '/api/v1/getCaptcha?for=key')
    return { code: 200, msg: '', id: 'i'.repeat(22), data: 't'.repeat(16) };
  if (url !== '/api/v1/login') return { code: 200, msg: 'success', data: {}, requestId: 'r' };
  logins += 1;
  const claims = Buffer.from(JSON.stringify({ iat: 1000, exp: 1000 + tokenSeconds })).toString('base64url');
  return { code: 200, token: `token${logins}.${claims}.s`, expire: '', requestId: 'r' };
}

const unavailable = { status: 503, body: { code: 503, msg: 'later' } };
const dead = { status: 200, body: { code: 401, msg: 'over' }, headers: { 'x-auth-reason': 'token_revoked' } };
const keyWrong = {
  status: 200,
  body: { code: 400, msg: 'wrong' },
  headers: { 'x-auth-reason': 'credentials_wrong' },
};
const connect = (options: object = {}) =>
  createMachineClient({ baseUrl, key, patienceSeconds: 5, ...options });

describe('a program', () => {
  it('reports a refused key after one more login with the current key', async () => {
    loginFaults = [keyWrong, keyWrong, keyWrong];
    let asked = 0;
    const client = connect({
      key: () => {
        asked += 1;
        return key;
      },
    });
    await expect(client.getInfo()).rejects.toMatchObject({ kind: 'invalid', reason: 'credentials_wrong' });
    expect([asked, loginFaults.length]).toEqual([2, 1]);
    loginFaults = [];
    await client.getInfo();
    expect(asked).toBe(3);
  });

  it('reports unavailable after patienceSeconds without an answer', async () => {
    loginFaults = Array.from({ length: 50 }, () => unavailable);
    await expect(connect({ patienceSeconds: 0.5 }).getInfo()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('logs in once for any number of calls', async () => {
    const client = connect();
    await Promise.all(Array.from({ length: 20 }, () => client.getInfo()));
    await client.getInfo();
    expect([logins, new Set(tokens).size]).toEqual([1, 1]);
    expect(await client.token()).toMatch(/^token1\./);
  });

  it('logs in again before its token ends, and once', async () => {
    tokenSeconds = 1;
    const client = connect();
    const endsAt = performance.now() + 3000;
    while (performance.now() < endsAt) await Promise.all([client.getInfo(), client.getInfo()]);
    expect(logins).toBeGreaterThanOrEqual(3);
    expect(logins).toBeLessThanOrEqual(5);
  });

  it('sends a call again whose token was ended, with the next one, and no more than once', async () => {
    const client = connect();
    callFaults = [dead];
    await client.getInfo();
    expect(tokens.map((token) => token.slice(0, 13))).toEqual(['Bearer token1', 'Bearer token2']);
    callFaults = [dead, dead];
    await expect(client.getInfo()).rejects.toMatchObject({ kind: 'signed_out' });
  });

  it('is given its token at once while the next one is fetched, and waits where it is about to end', async () => {
    const tokens = createMachineTokens({ baseUrl, key, patienceSeconds: 5 });
    const first = await tokens.get();
    const now = performance.now.bind(performance);
    let passed = 0.75 * tokenSeconds * 1000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    try {
      expect(await tokens.get()).toBe(first);
      await expect.poll(() => tokens.get()).toMatch(/^token2\./);
      passed += 0.96 * tokenSeconds * 1000;
      expect(await tokens.get()).toMatch(/^token3\./);
    } finally {
      clock.mockRestore();
    }
    expect(logins).toBe(3);
  });

  it('keeps the next token when a call with the previous token is refused late', async () => {
    const tokens = createMachineTokens({ baseUrl, key, patienceSeconds: 5 });
    const first = await tokens.get();
    tokens.drop(first);
    const second = await tokens.get();
    expect(second).not.toBe(first);
    tokens.drop(first);
    expect(await tokens.get()).toBe(second);
    tokens.drop(second);
    await tokens.get();
    expect(logins).toBe(3);
  });

  it('reads again while instances restart, and logs in again', async () => {
    callFaults = ['reset', unavailable, 'reset'];
    loginFaults = ['reset', unavailable, { status: 502, body: {} }];
    await connect().getInfo();
    expect([callFaults.length, loginFaults.length, logins]).toEqual([0, 0, 1]);
  });

  it('does not send again what writes', async () => {
    callFaults = ['reset'];
    const client = connect();
    await expect(client.endAllSessions()).rejects.toMatchObject({ kind: 'network' });
    callFaults = [unavailable];
    await expect(client.endAllSessions()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(tokens).toHaveLength(1);
  });
});

describe('an assertion', () => {
  it.each(['ES256', 'EdDSA'] as const)(
    'of %s is signed for the captcha, also by a key in PEM',
    async (alg) => {
      const { privateKey, publicKey } = pairs[alg];
      const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
      const jwk = {
        ...privateKey.export({ format: 'jwk' }),
        use: 'sig',
        key_ops: ['sign'],
        alg,
        kid: 'mine',
      };
      for (const form of [pem, jwk]) {
        const captcha = { id: 'i', text: 't' };
        const assertion = await signAssertion({ ...key, privateKey: form }, captcha, () => 5000);
        const [header = '', claims = '', signature = ''] = assertion.split('.');
        const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
        expect(read(header)).toEqual({ alg, typ: 'portcullis-login+jwt', kid: read(claims).iss });
        expect(read(claims)).toMatchObject({ sub: 'bot', aud: key.audience, iat: 5, exp: 65, captcha });
        const verifier = {
          key: createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
          dsaEncoding: 'ieee-p1363',
        } as const;
        const hash = alg === 'ES256' ? 'sha256' : null;
        expect(
          verify(hash, Buffer.from(`${header}.${claims}`), verifier, Buffer.from(signature, 'base64url')),
        ).toBe(true);
      }
    },
  );

  it('of anything that is no key is refused before anything is sent', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    for (const privateKey of [{ ...rsa }, {}, 'no PEM', { kty: 'EC', crv: 'P-384' }])
      await expect(signAssertion({ ...key, privateKey }, { id: '', text: '' })).rejects.toMatchObject({
        kind: 'invalid',
      });
    for (const text of ['', '{}', 'null', '{"account":"bot","audience":"a"}'])
      expect(() => parseMachineKey(text)).toThrow('portcullis service-keys new');
    expect(parseMachineKey(JSON.stringify(key))).toEqual(key);
  });
});
