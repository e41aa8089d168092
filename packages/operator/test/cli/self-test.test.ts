import { createServer, type IncomingMessage, request as openRequest, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createDecisionStandIn,
  secret,
} from '../../../server/test/permissions/decision-api/decision-stand-in.ts';
import { listening } from '../../../server/test/permissions/decision-api/listening.ts';
import { listProbes } from '../../src/cli/commands/self-test/gateway-probes.ts';
import { exitCodeOf, type Finding, report, testGateway } from '../../src/cli/commands/self-test/self-test.ts';
import { performCommand } from './perform-command.ts';

const path = '/api/v1/orders';
const { listener } = createDecisionStandIn();
let decisionPort: number;
const servers: Server[] = [];
beforeAll(async () => {
  decisionPort = await listening(listener);
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => listener.close());

interface Verdict {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}
type Gateway = (request: IncomingMessage) => Promise<Verdict>;

const service: Verdict = { status: 200, headers: {}, text: '{"code":200,"data":["order 1"]}' };

/** Asks the listener as a gateway does; everything that the client sent goes along but what the gateway sets. */
function ask(request: IncomingMessage, target = request.url ?? '', knows = secret): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
  openRequest(
    {
      host: '127.0.0.1',
      port: decisionPort,
      path: '/forward-auth',
      headers: {
        ...request.headers,
        'x-portcullis-secret': knows,
        'x-forwarded-method': request.method,
        'x-forwarded-uri': target,
        'content-length': 0,
      },
    },
    (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part) => {
          text += part;
        })
        .on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text,
          }),
        );
    },
  )
    .on('error', reject)
    .end();
  return promise;
}

/** What the browser is to see. */
function restore({ status, headers, text }: Verdict): Verdict {
  if (status === 200) return service;
  const { 'x-auth-reason': reason, 'x-request-id': requestId = '' } = headers;
  return {
    status: Number(headers['x-portcullis-status']),
    headers: { 'x-request-id': requestId, ...(reason === undefined ? {} : { 'x-auth-reason': reason }) },
    text,
  };
}

/** Asks when it has the whole request, or as soon as it has the head. */
async function test(gateway: Gateway, { waits = true } = {}): Promise<Finding[]> {
  const server = createServer((request, response) => {
    (waits ? buffer(request) : Promise.resolve())
      .then(() => gateway(request))
      .then(
        ({ status, headers, text }) => response.writeHead(status, headers).end(text),
        () => response.destroy(),
      );
  });
  servers.push(server);
  return await testGateway(new URL(`http://127.0.0.1:${await listening(server)}`), path, undefined, 100);
}
const outcomesOf = (findings: readonly Finding[]) => [
  ...new Set(findings.map(({ verdict }) => verdict.outcome)),
];

describe('a gateway', () => {
  it('that treats the 2xx of a refusal as allowed is an open door', async () => {
    // As the public listener refuses: HTTP 200. A gateway that looks at the status lets everything pass.
    const refuse = async () => ({ status: 200, headers: {}, text: '{"code":401,"msg":"Sign in."}' });
    const findings = await test(async () => ((await refuse()).status === 200 ? service : await refuse()));
    expect(outcomesOf(findings)).toEqual(['open']);
    expect(exitCodeOf(findings)).toBe(1);
    expect(report(findings)).toMatch(/got through\. This gateway is an open door\.$/);
  });

  it('that does not ask for one of the methods is an open door', async () => {
    const findings = await test(async (request) =>
      request.method === 'DELETE' ? service : restore(await ask(request)),
    );
    expect(
      findings.filter(({ verdict }) => verdict.outcome === 'open').map(({ probe }) => probe.name),
    ).toEqual(['DELETE without a token']);
    expect(exitCodeOf(findings)).toBe(1);
  });

  it('that trusts identity headers of its client is an open door', async () => {
    const findings = await test(async (request) =>
      Object.keys(request.headers).some((name) => /^x[_-]portcullis[_-]role/.test(name))
        ? service
        : restore(await ask(request)),
    );
    expect(findings.filter(({ verdict }) => verdict.outcome === 'open')).toHaveLength(2);
  });

  it('that accepts an upgrade without a decision is an open door', async () => {
    const server = createServer((_request, response) => response.destroy());
    server.on('upgrade', ({ headers }, socket) =>
      socket.end(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\n\r\n`,
      ),
    );
    servers.push(server);
    const gateway = new URL(`http://127.0.0.1:${await listening(server)}`);
    const findings = await testGateway(gateway, path, undefined, 100);
    expect(
      findings.filter(({ verdict }) => verdict.outcome === 'open').map(({ probe }) => probe.name),
    ).toEqual(['an upgrade to websocket', 'an upgrade to h2c']);
    expect(exitCodeOf(findings)).toBe(1);
  });

  it('that decides before the body has come is warned of', async () => {
    const findings = await test(async (request) => restore(await ask(request)), { waits: false });
    const warned = findings.filter(({ verdict }) => verdict.outcome !== 'refused');
    expect(warned.map(({ probe, verdict }) => [probe.name, verdict.outcome])).toEqual([
      ['a body that comes late', 'inexact'],
    ]);
    expect(report(findings)).toContain('decides on half a request');
    expect(exitCodeOf(findings)).toBe(2);
  });

  it('whose service answers without Portcullis is reported as strange', async () => {
    const findings = await test(async () => ({ status: 404, headers: {}, text: 'not here' }));
    expect(outcomesOf(findings)).toEqual(['strange']);
    expect(exitCodeOf(findings)).toBe(2);
    expect(report(findings)).toMatch(/answers did not come from Portcullis\.$/);
  });

  it('that imitates a refusal without its headers is reported as strange too', async () => {
    const findings = await test(async () => ({ status: 200, headers: {}, text: '{"code":401,"msg":"No."}' }));
    expect(outcomesOf(findings)).toEqual(['strange']);
  });

  it('that shows the native status is warned of', async () => {
    const findings = await test(async (request) => await ask(request));
    expect(outcomesOf(findings)).toEqual(['inexact']);
    expect(report(findings)).toContain('X-Portcullis-Status');
    expect(exitCodeOf(findings)).toBe(2);
  });

  it('that asks with a wrong secret gets the name of the header', async () => {
    const findings = await test(async (request) => restore(await ask(request, request.url, 'wrong')));
    expect(outcomesOf(findings)).toEqual(['inexact']);
    expect(report(findings)).toContain('X-Portcullis-Secret');
  });

  it('that asks about another target than it was sent is warned of', async () => {
    const findings = await test(async (request) => {
      const normalised = new URL(request.url?.replace(/\/+/g, '/') ?? '', 'http://x').pathname;
      return restore(await ask(request, normalised));
    });
    const warned = findings.filter(({ verdict }) => verdict.outcome === 'inexact');
    expect(warned.length).toBeGreaterThan(3);
    expect(warned.every(({ probe }) => probe.expected === 'not_found' || probe.name.includes('query'))).toBe(
      true,
    );
    expect(report(findings)).toContain('raw request target');
  });

  it('that does not answer proves nothing', async () => {
    const findings = await testGateway(new URL('http://127.0.0.1:1'), path);
    expect(exitCodeOf(findings)).toBe(2);
    expect(report(findings)).toMatch(/The gateway does not answer\.$/);
  });

  it('that asks for every request and returns the answer unchanged passes', async () => {
    const findings = await test(async (request) => restore(await ask(request)));
    expect(report(findings)).toContain(`All ${listProbes(path).length} requests were refused`);
    expect(outcomesOf(findings)).toEqual(['refused']);
    expect(exitCodeOf(findings)).toBe(0);
  });
});

describe('the command', () => {
  const run = async (...values: string[]) => {
    const { code, stdout, stderr } = await performCommand(['self-test', ...values], { url: 'none' });
    return { code, output: stdout + stderr };
  };

  it('ends with 1 at an open door', async () => {
    const server = createServer((_request, response) => response.end('{"code":200}'));
    servers.push(server);
    const { code, output } = await run('--gateway', `http://127.0.0.1:${await listening(server)}`);
    expect(output).toContain('OPEN     GET without a token: HTTP 200, another body');
    expect(code).toBe(1);
  });

  it('prints the same as JSON', async () => {
    const { code, output } = await run('--gateway', 'http://127.0.0.1:1', '--json');
    expect(JSON.parse(output)).toMatchObject({ summary: 'The gateway does not answer.' });
    expect(JSON.parse(output).findings).toHaveLength(listProbes(path).length);
    expect(code).toBe(2);
  });

  it.each([
    [[]],
    [['--gateway', 'gateway:80']],
    [['--gateway', 'gateway']],
    [['--gateway', 'ftp://127.0.0.1:1']],
    [['--gateway', 'http://127.0.0.1:1', '--path', 'orders']],
    [['--gateway', 'http://127.0.0.1:1', '--path', '/api?all=1']],
    [['--gateway', 'http://127.0.0.1:1', '--path', '/api/../x']],
  ])('refuses the arguments %j', async (values) => {
    expect((await run(...values)).code).toBe(64);
  });
});
