// T250 to T259: events that are told to others. Every refusal has a control beside it: the same where it is allowed, or what a
// naive client does.
import { createHmac, randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { webhookEndpoints } from '@portcullis/contract';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyEvent } from '../../../examples/webhook-adapter/verify-event.ts';
import { createAllowedAddresses } from '../../../packages/server/src/base/outbound/allowed-addresses.ts';
import {
  type Address,
  createHostResolver,
} from '../../../packages/server/src/base/outbound/host-resolver.ts';
import { decrypt } from '../../../packages/server/src/base/secrets/encryption.ts';
import { createSendEvent } from '../../../packages/server/src/people/webhooks/send-event.ts';
import { exampleRequest } from '../../conformance/example-request.ts';
import { present } from '../../rig/carriers.ts';
import type { Answer } from '../../rig/http-client.ts';
import { sealingKey } from '../../rig/master-key.ts';
import { rulesInForce } from '../../rig/rules-in-force.ts';
import { password } from '../../rig/seed.ts';
import { useService } from '../../rig/use-service.ts';

const service = useService({
  mode: 'prod',
  settings: { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_MAX_ATTEMPTS: '1' },
});
const strict = useService({ mode: 'prod' });
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function call(method: string, path: string, body?: object, of = service()): Promise<Answer> {
  const request = { method, path: `/api/v1${path}`, ...(body === undefined ? {} : { body }) };
  return await of.send(present(await of.tokenOf('ada'), 'header', request));
}

interface Taken {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly type: string;
}

/** A receiver on this host. */
async function receive(
  answer: (response: ServerResponse, taken: Taken) => void = (response) => void response.end(),
) {
  const taken: Taken[] = [];
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const one = { headers: request.headers, body, type: body === '' ? '' : JSON.parse(body).type };
    taken.push(one);
    answer(response, one);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events` };
}

async function add(url: string, types: string[] = []): Promise<{ id: number; secret: string }> {
  const { body, text } = await call('POST', '/webhooks', { name: 'attack', url, types });
  expect(body.code, text).toBe(200);
  const webhook = body.data as { id: number; secret: string };
  open.push(() => call('DELETE', `/webhooks/${webhook.id}`));
  return webhook;
}
const test = async (id: number) =>
  (await call('POST', `/webhooks/${id}/test`)).body.data as { delivered: boolean; error: string | null };

const inward = [
  'https://10.0.0.1/',
  'https://172.16.5.4/',
  'https://192.168.1.1/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://0.0.0.0/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:a00:1]/',
  'https://[64:ff9b::a00:1]/',
  'https://[2002:a00:1::]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[ff02::1]/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
];

describe('T250 a webhook into the own network', () => {
  it.each(inward)('is refused: %s', async (url) => {
    const { body } = await call('POST', '/webhooks', { name: 'x', url }, strict());
    expect(body.code).toBe(400);
  });

  it.each([
    'http://example.com/',
    'http://127.0.0.1:9/',
    'ftp://example.com/',
    'https://a:b@example.com/',
    'file:///etc/passwd',
  ])('is refused where it is no plain HTTPS: %s', async (url) => {
    const { body } = await call('POST', '/webhooks', { name: 'x', url }, strict());
    expect(body.code).toBe(400);
  });

  it('is a webhook like any other where its address is public, or the settings name it', async () => {
    const { body } = await call('POST', '/webhooks', { name: 'x', url: 'https://192.0.77.1/' }, strict());
    expect(body.code).toBe(200);
    const { id } = body.data as { id: number };
    expect((await call('DELETE', `/webhooks/${id}`, undefined, strict())).body.code).toBe(200);
    const named = createAllowedAddresses({
      allowedNetworks: ['10.0.0.0/8', 'fd00::/8'],
      allowLoopback: true,
    });
    for (const address of ['10.0.0.1', 'fd00::1', '127.0.0.1', '::1', '8.8.8.8', '2606:4700::1'])
      expect(named.has(address)).toBe(true);
    expect(named.has('192.168.1.1')).toBe(false);
  });
});

/** Counts who connects, whatever they say. */
async function countConnections() {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.on('error', () => {}).destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => void server.close());
  return { port: (server.address() as AddressInfo).port, count: () => connections };
}

const inner: Address = { address: '127.0.0.1', family: 4 };
/** Of a network without a route. */
const outer: Address = { address: '192.0.77.1', family: 4 };

function poster(answers: readonly (readonly Address[])[], networks: readonly string[] = []) {
  let asked = 0;
  const { post, close } = createSendEvent({
    addresses: createAllowedAddresses({ allowedNetworks: networks, allowLoopback: false }),
    resolve: createHostResolver({
      ask: async () => answers[Math.min(asked++, answers.length - 1)] ?? [],
    }),
    timeoutMilliseconds: 700,
  });
  open.push(close);
  return { send: (port: number) => post(`https://hook.example.com:${port}/`, {}, '{}'), asked: () => asked };
}

describe('T251 a name', () => {
  it('that stands for a private address is not connected to, and is where the settings name the network', async () => {
    const target = await countConnections();
    await expect(poster([[inner]]).send(target.port)).rejects.toThrow('which the settings do not allow');
    expect(target.count()).toBe(0);
    await expect(poster([[inner]], ['127.0.0.0/8']).send(target.port)).rejects.toThrow();
    expect(target.count()).toBe(1);
  });

  it('that stands for a public and a private address is not connected to at all', async () => {
    const target = await countConnections();
    await expect(poster([[outer, inner]]).send(target.port)).rejects.toThrow(
      'which the settings do not allow',
    );
    expect(target.count()).toBe(0);
  });

  it('that is public when it is looked at and private after it is not connected to there, though a naive client does', async () => {
    const target = await countConnections();
    const rebinding = poster([[outer], [inner]]);
    await expect(rebinding.send(target.port)).rejects.toThrow();
    expect([rebinding.asked(), target.count()]).toEqual([1, 0]);
    // Checks the name, and lets the connection look it up again.
    const answers = [outer, inner];
    const naive = createAllowedAddresses({ allowedNetworks: [], allowLoopback: false });
    expect(naive.has(answers.shift()?.address ?? '')).toBe(true);
    await fetch(`http://${answers.shift()?.address}:${target.port}/`).catch(() => {});
    expect(target.count()).toBe(1);
  });

  it('of this host is not connected to, and is with the setting', async () => {
    const target = await countConnections();
    const resolve = (name: string) =>
      lookup(name === 'hook.example.com' ? 'localhost' : name, { all: true, family: 4 });
    for (const [loopback, expected] of [
      [false, 0],
      [true, 1],
    ] as const) {
      const { post, close } = createSendEvent({
        addresses: createAllowedAddresses({ allowedNetworks: [], allowLoopback: loopback }),
        resolve: createHostResolver({ ask: resolve }),
      });
      open.push(close);
      await expect(post(`https://hook.example.com:${target.port}/`, {}, '{}')).rejects.toThrow();
      expect(target.count()).toBe(expected);
    }
  });
});

describe('T252 a receiver that redirects', () => {
  it.each([301, 302, 303, 307, 308])('with %i is not followed, and a naive client is', async (status) => {
    const target = await receive();
    const { url } = await receive(
      (response) => void response.writeHead(status, { location: target.url }).end(),
    );
    const { id } = await add(url);
    expect(await test(id)).toEqual({
      delivered: false,
      error: `answered ${status}; redirects are not followed`,
    });
    expect(target.taken).toEqual([]);
    await fetch(url, { method: 'POST', body: '{}' });
    expect(target.taken).toHaveLength(1);
  });
});

/** A genuine event, as it was sent. */
async function takeOne() {
  const { taken, url } = await receive();
  const webhook = await add(url);
  expect(await test(webhook.id)).toEqual({ delivered: true, error: null });
  const event = taken.find(({ type }) => type === 'webhook.test');
  if (event === undefined) throw new Error('The test was not received.');
  return { event, webhook, taken };
}

describe('T253 an event', () => {
  it('that was forged or changed is refused by the documented receiver, and the genuine one is taken', async () => {
    const { event, webhook } = await takeOne();
    expect(verifyEvent(event.headers, event.body, webhook.secret)).toMatchObject({ type: 'webhook.test' });
    const signature = String(event.headers['webhook-signature']);
    const forged: [object, string][] = [
      [{}, event.body.replace('webhook.test', 'user.delete')],
      [{ 'webhook-id': 'another' }, event.body],
      [{ 'webhook-timestamp': String(Number(event.headers['webhook-timestamp']) + 1) }, event.body],
      [{ 'webhook-signature': '' }, event.body],
      [{ 'webhook-signature': 'v1,' }, event.body],
      [{ 'webhook-signature': signature.replace('v1,', 'v2,') }, event.body],
      [{ 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }, event.body],
    ];
    for (const [headers, body] of forged)
      expect(() => verifyEvent({ ...event.headers, ...headers }, body, webhook.secret)).toThrow();
    const another = `whsec_${randomBytes(32).toString('base64')}`;
    expect(() => verifyEvent(event.headers, event.body, another)).toThrow('not signed');
  });

  it('that is replayed later is refused, though its signature is right, and has the id that it had', async () => {
    const { event, webhook, taken } = await takeOne();
    const later = Date.now() + 301_000;
    expect(() => verifyEvent(event.headers, event.body, webhook.secret, later)).toThrow('too old');
    expect(verifyEvent(event.headers, event.body, webhook.secret).id).toBe(event.headers['webhook-id']);
    expect(await test(webhook.id)).toMatchObject({ delivered: true });
    const ids = taken
      .filter(({ type }) => type === 'webhook.test')
      .map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('T254 a secret that was replaced', () => {
  it('signs beside the new one, and nothing after the rotation was finished', async () => {
    const { webhook, taken } = await takeOne();
    const rotated = (await call('PUT', `/webhooks/${webhook.id}`, { secret: 'rotate' })).body.data as {
      secret: string;
    };
    const isGood = (secret: string) => {
      const { headers = {}, body = '' }: Partial<Taken> = taken.at(-1) ?? {};
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      const signed = createHmac('sha256', key)
        .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
        .digest('base64');
      return String(headers['webhook-signature']).includes(signed);
    };
    expect(await test(webhook.id)).toMatchObject({ delivered: true });
    expect([isGood(webhook.secret), isGood(rotated.secret)]).toEqual([true, true]);
    expect((await call('PUT', `/webhooks/${webhook.id}`, { secret: 'finish' })).body.code).toBe(200);
    expect(await test(webhook.id)).toMatchObject({ delivered: true });
    expect([isGood(webhook.secret), isGood(rotated.secret)]).toEqual([false, true]);
  });
});

describe('T255 the secret of a webhook', () => {
  it('is shown once, and is nowhere else in clear', async () => {
    const { taken, url } = await receive();
    const webhook = await add(`${url}/path-secret?key=query-secret`);
    expect(await test(webhook.id)).toMatchObject({ delivered: true });
    await call('PUT', `/webhooks/${webhook.id}`, { name: 'other' });
    const raw = Buffer.from(webhook.secret.replace('whsec_', ''), 'base64');
    const spellings = [
      raw.toString('base64'),
      raw.toString('hex'),
      raw.toString('base64url'),
      webhook.secret,
    ];
    const answers = await Promise.all(
      ['/webhooks', `/webhooks/${webhook.id}/deliveries`, '/audit', '/openapi.json'].map((path) =>
        call('GET', path),
      ),
    );
    const rows = await service().database.query<{ text: string; sealed: Buffer }>(
      `select (select string_agg(audit_log::text, '') from audit_log) || webhooks::text as text, sealed_secret as sealed
       from webhooks where id = $1`,
      [webhook.id],
    );
    const shown = [
      ...answers.map(({ text }) => text),
      ...rows.map(({ text }) => text),
      ...taken.map(({ body, headers }) => body + JSON.stringify(headers)),
      service().server.process.output,
    ].join('\n');
    for (const spelling of spellings) expect(shown).not.toContain(spelling);
    // The receiver's own secrets in the URL are in the list of admin and in the table, and not in the log or the events.
    const logged = answers[2]?.text + taken.map(({ body }) => body).join('');
    for (const text of ['path-secret', 'query-secret']) expect(logged).not.toContain(text);
    expect(answers[0]?.text).toContain('path-secret');
    // It is there all the same, for who has the master key, and bound to its webhook.
    const sealed = rows[0]?.sealed ?? Buffer.alloc(0);
    expect(decrypt(sealed, sealingKey, `secret of webhook ${webhook.id}`)).toEqual(raw);
    expect(() => decrypt(sealed, sealingKey, `secret of webhook ${webhook.id + 1}`)).toThrow();
  });
});

describe('T256 a receiver that answers without end', () => {
  it('is cut off, and the event counts as taken; a naive client reads on', async () => {
    let written = 0;
    const piece = Buffer.alloc(65_536, 'x');
    const endless = async (response: ServerResponse) => {
      written = 0;
      response.setMaxListeners(0).on('error', () => {});
      response.writeHead(200);
      while (!response.destroyed && written < 64 * 1024 * 1024) {
        written += piece.length;
        if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end();
    };
    const { url, taken } = await receive((response) => void endless(response).catch(() => {}));
    const { id } = await add(url, ['role.*']);
    expect(await test(id)).toEqual({ delivered: true, error: null });
    await expect.poll(() => taken.length, { timeout: 30_000 }).toBe(1);
    const cutAt = written;
    expect(cutAt).toBeLessThan(16 * 1024 * 1024);
    await (await fetch(url, { method: 'POST', body: '{}' })).text();
    expect(written).toBe(64 * 1024 * 1024);
  });

  it('with a megabyte of headers is a failure, and with few is none', async () => {
    const { url } = await receive((response, { type }) => {
      for (let n = 0; type === 'webhook.test' && n < 1000; n += 1)
        response.setHeader(`x-${n}`, 'y'.repeat(1000));
      response.end();
    });
    const { id } = await add(url);
    expect(await test(id)).toMatchObject({ delivered: false, error: 'HPE_HEADER_OVERFLOW' });
  });
});

describe('T257 a receiver that hangs', () => {
  it('holds up neither logins nor other webhooks, and not the end of its service', async () => {
    const hanging = await receive(() => {});
    const well = await receive();
    const { id } = await add(hanging.url, ['login.*', 'user.*']);
    await add(well.url);
    const started = performance.now();
    const logins = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const captcha = await service().solvedCaptcha();
        return (await service().postLogin({ username: 'gina', password, ...captcha })).body.code;
      }),
    );
    expect(logins).toEqual(Array(8).fill(200));
    expect(performance.now() - started).toBeLessThan(20_000);
    const told = () => well.taken.filter(({ type }) => type === 'login.success').length;
    await expect.poll(told, { timeout: 30_000 }).toBeGreaterThanOrEqual(8);
    await expect.poll(() => hanging.taken.length, { timeout: 30_000 }).toBeGreaterThan(0);
    expect((await call('DELETE', `/webhooks/${id}`)).body.code).toBe(200);
    const sent = hanging.taken.length;
    await service().logIn('gina');
    await expect.poll(told, { timeout: 30_000 }).toBeGreaterThanOrEqual(9);
    expect(hanging.taken.length).toBe(sent);
  });

  it('is given up after five seconds, and one that answers is not', async () => {
    const hanging = await receive(() => {});
    const { id } = await add(hanging.url, ['role.*']);
    const started = performance.now();
    expect(await test(id)).toEqual({ delivered: false, error: 'no answer within 5 s' });
    expect(performance.now() - started).toBeLessThan(8000);
    const { event } = await takeOne();
    expect(event.type).toBe('webhook.test');
  });
});

describe('T258 a role that may call everything', () => {
  beforeAll(async () => {
    const rules = rulesInForce([{ method: '*', path: '/*' }]);
    expect((await call('PUT', '/roles/4/data-scope', { dataScope: '1' })).body.code).toBe(200);
    expect((await call('POST', '/roles/4/rules', rules)).body.code).toBe(200);
  });

  it.each(webhookEndpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    'does not get to %s, and admin does',
    async (_name, endpoint) => {
      const { body } = await service().send(
        present((await freshTokenOf('bela')) ?? '', 'header', exampleRequest(endpoint)),
      );
      expect(body.code).toBe(401);
      const ofAdmin = await service().send(
        present(await service().tokenOf('ada'), 'header', exampleRequest(endpoint)),
      );
      expect(ofAdmin.body.code).not.toBe(401);
    },
  );

  async function freshTokenOf(username: 'bela'): Promise<string> {
    const { body } = await service().logIn(username);
    return String(body.token);
  }
});

describe('T259 an event that is not told', () => {
  it('holds its object until it is skipped, which is recorded', async () => {
    let isRefusing = true;
    const { taken, url } = await receive(
      (response, { type }) =>
        void response.writeHead(isRefusing && type === 'webhook.test' ? 500 : 200).end(),
    );
    const { id } = await add(url, ['role.*']);
    expect(await test(id)).toMatchObject({ delivered: false, error: 'answered 500' });
    isRefusing = false;
    expect(await test(id)).toMatchObject({ delivered: false });
    expect(taken).toHaveLength(1);
    const { body } = await call('GET', `/webhooks/${id}/deliveries?state=dead`);
    const [delivery] = (body.data as { items: { id: number; eventId: string }[] }).items;
    expect((await call('POST', `/webhooks/${id}/skip`, { deliveryId: delivery?.id })).body.code).toBe(200);
    await expect.poll(() => taken.length, { timeout: 30_000 }).toBe(2);
    const [record] = await service().database.query<{ before: { eventId: string } }>(
      `select before from audit_log where action = 'webhook.skip' order by id desc limit 1`,
    );
    expect(record?.before.eventId).toBe(delivery?.eventId);
  });
});
