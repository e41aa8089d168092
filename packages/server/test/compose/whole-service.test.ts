// A whole service from its start to its stop: what it keeps on the host, what it limits, when it is ready, and in which order
// it closes what it opened.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { mailSettings, startMailbox } from '../../../../test/rig/mailbox.ts';
import { failIfAttackSucceeded } from '../../../../test/weaknesses/attack.ts';
import { readCurrentRevision } from '../../src/cluster/revision-store.ts';
import { parseKeptHeads } from '../../src/logs/evidence/kept-heads.ts';
import { type ComposedWorld, composeWorld } from './compose-world.ts';

let world: ComposedWorld | undefined;
afterEach(async () => {
  await world?.remove();
  world = undefined;
});

async function start(environment: Record<string, string> = {}) {
  const composed = await composeWorld(environment);
  world = composed;
  const { port, opsPort, decisionPort } = await composed.portcullis.listen();
  const call = async (
    method: string,
    path: string,
    { token, body }: { token?: string; body?: object } = {},
  ) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { code: number; token: string; data: unknown };
  };
  const probe = async (path: string) => (await fetch(`http://127.0.0.1:${opsPort}${path}`)).status;
  const logIn = async () =>
    (await call('POST', '/login', { body: composed.portcullis.firstAdministrator ?? {} })).token;
  return { ...composed, decisionPort, call, probe, logIn };
}

describe('a running service', () => {
  it('refuses the calls of one caller beyond the limit, wherever they come from', async () => {
    const { call, logIn } = await start({ LIMIT_REQUESTS_PER_SECOND: '1' });
    const token = await logIn();
    const codes: number[] = [];
    while (codes.length < 1000 && codes.at(-1) !== 429)
      codes.push((await call('GET', '/getinfo', { token })).code);
    expect(codes.at(-1)).toBe(429);
    expect(codes.length).toBeGreaterThan(200);
    // The limit is one of the caller: requests without a token have another one.
    expect((await call('GET', '/getinfo')).code).toBe(401);
  });

  it('keeps the revision of a change on its host before the change is answered', async () => {
    const { call, logIn, spoolFolder, database } = await start();
    expect(await call('POST', '/logout', { token: await logIn() })).toMatchObject({ code: 200 });
    const { n, mark } = await readCurrentRevision(database.store);
    const [folder = ''] = (await readdir(spoolFolder)).filter((name) => name.endsWith('-history'));
    const kept = await readdir(join(spoolFolder, folder));
    failIfAttackSucceeded(!kept.includes(`${n}.${mark}`), 'the host does not know the revision');
  });

  it('is ready until it drains, and alive until it has ended', async () => {
    const { probe, portcullis } = await start();
    expect([await probe('/readyz'), await probe('/livez')]).toEqual([200, 200]);
    const closing = portcullis.close(2000);
    expect([await probe('/readyz'), await probe('/livez')]).toEqual([503, 200]);
    await closing;
    await expect(probe('/livez')).rejects.toThrow();
  });
});

const startAndStop = new URL('start-and-stop.ts', import.meta.url);
const secret = randomBytes(32).toString('hex');
const headers = { authorization: `Bearer ${secret}` };

describe('a stop', () => {
  let anchorFolder: string;
  beforeEach(async () => {
    anchorFolder = await mkdtemp(join(tmpdir(), 'portcullis-anchor-'));
  });
  afterEach(() => rm(anchorFolder, { recursive: true, force: true }));

  it('leaves no timer, connection, listener or row that keeps the process alive', async () => {
    const mailbox = await startMailbox();
    const { environment, database } = await start();
    const settings = {
      ...mailSettings(mailbox),
      DECISION_SECRET: secret,
      LOGGER_ANCHOR_FOLDER: anchorFolder,
    };
    const child = spawn(process.execPath, [fileURLToPath(startAndStop)], {
      env: { ...process.env, ...environment, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const output = await once(child.stdout.setEncoding('utf8'), 'data');
    // Much longer than any pause between two looks at a queue.
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
    expect(await exited).toEqual([0, null]);
    clearTimeout(late);
    expect(output).toEqual(['stopped\n']);
    // That of the service of this test.
    expect(await database.store.selectFrom('instances').select('id').execute()).toHaveLength(1);
    await mailbox.stop();
  });

  it('keeps the last heads of the login log elsewhere', async () => {
    const { logIn, call, portcullis, database, config } = await start({ LOGGER_ANCHOR_FOLDER: anchorFolder });
    for (let count = 0; count < 3; count += 1) await call('POST', '/logout', { token: await logIn() });
    await portcullis.close(0);
    const texts = await Promise.all(
      (await readdir(anchorFolder)).map((name) => readFile(join(anchorFolder, name), 'utf8')),
    );
    const kept = texts.flatMap((text) => parseKeptHeads(config.chainKeys, text)?.heads ?? []);
    const { rows } = await sql<{ chain: string; seq: number }>`
      select chain, max(seq)::int as seq from login_log group by chain`.execute(database.store);
    expect(rows).toHaveLength(1);
    const isKept = ({ chain, seq }: { chain: string; seq: number }) =>
      kept.some((head) => head.chain === chain && head.seq === seq);
    failIfAttackSucceeded(!rows.every(isKept), 'the last records can be cut off');
  });

  it('answers guards until they have returned their leases', async () => {
    const { portcullis, database, decisionPort, probe, warnings } = await start({
      DECISION_SECRET: secret,
    });
    const revision = await readCurrentRevision(database.store);
    const line = new WebSocket(`ws://127.0.0.1:${decisionPort}/guard/v1/line`, { headers });
    const say = (message: object) => line.send(JSON.stringify(message));
    const renew = () => say({ kind: 'renew', seq: 1, ...revision });
    const [granted, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    line.on('message', (data) => {
      const { kind } = JSON.parse(String(data)) as { kind: string };
      if (kind === 'granted') granted.resolve();
      // On a busy machine the instance has no lease now and then.
      if (kind === 'refused') renew();
      if (kind === 'leaving') {
        say({ kind: 'release' });
        left.resolve();
      }
    });
    await once(line, 'open');
    say({ kind: 'hello', id: randomUUID(), service: 'orders', version: '1' });
    renew();
    await granted.promise;
    const closing = portcullis.close(0);
    await left.promise;
    expect(await probe('/livez')).toBe(200);
    await closing;
    expect(await database.store.selectFrom('instances').select('id').execute()).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
