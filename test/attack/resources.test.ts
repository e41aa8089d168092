// docs/explanation/security.md: bodies, memory and time of the service, and what its faults tell. Slow clients (T84) stand elsewhere,
// a million bodies in `npm run fuzz -- login`.
import { errorTable } from '@portcullis/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../packages/server/src/cluster/store/store.ts';
import { createLimitCheck } from '../../packages/server/src/http/limits/limit-check.ts';
import { createCaptchaStore } from '../../packages/server/src/sign-in/login/captcha/captcha-store.ts';
import { eventually } from '../conformance/eventually.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { hiddenName } from '../rig/hidden-name.ts';
import { type Answer, createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { isJudged } from '../rig/judges-times.ts';
import { type RawAnswer, sendRaw } from '../rig/raw-socket.ts';
import { password, seed } from '../rig/seed.ts';
import { repository } from '../rig/start-process.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { startTcpProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { useService } from '../rig/use-service.ts';
import { atOnce } from './login/at-once.ts';
import { countReasons } from './login/count-reasons.ts';
import { guess, loginPath, summaryOf } from './login/guesses.ts';
import { cheapHashes } from './login-log/instance.ts';
import { contentTypes } from './resources/content-types.ts';
import { faults, requestsOfAll } from './resources/faults.ts';
import { hangUp } from './resources/hang-up.ts';
import { hostileBodies, mutatedBodies } from './resources/login-bodies.ts';
import { readResidentBytes, runningDuring } from './resources/running-hashes.ts';
import { usedHeapBytes } from './resources/used-heap.ts';
import { size } from './size.ts';

const megabyte = 1024 * 1024;
const texts = new Set(Object.values(errorTable).map(({ text }) => text.en as string));

describe('a login body', () => {
  const watch = `${repository}test/attack/resources/prototype-watch.ts`;
  const service = useService({
    mode: 'dev',
    settings: { ...cheapHashes, NODE_OPTIONS: `--import=${watch}` },
  });

  function post(body: string | Buffer, head = 'Content-Type: application/json'): Promise<RawAnswer> {
    const bytes = Buffer.from(body);
    const start = `POST ${loginPath} HTTP/1.1\r\nHost: rig\r\n${head}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    return sendRaw(service().server.port, Buffer.concat([Buffer.from(start, 'latin1'), bytes]));
  }

  it('T82 of any content type is checked as JSON is, or refused', async () => {
    const bodies = { username: 'carl', password };
    for (const value of [bodies, { ...bodies, username: 7 }, {}, [bodies]]) {
      const text = JSON.stringify(value);
      const plain = decisionOf(await post(text));
      for (const head of contentTypes)
        expect([plain, '415', '400', 'params_invalid'], head).toContain(decisionOf(await post(text, head)));
    }
    expect(
      decisionOf(await post(JSON.stringify(bodies), 'Content-Type: application/json; charset=utf-8')),
    ).toBe('200');
    expect(decisionOf(await post(JSON.stringify(bodies), 'Content-Type: text/plain'))).toBe('415');
  });

  it('T81 of any shape is refused in the envelope, and stores nothing', async () => {
    const bodies = [...hostileBodies, ...mutatedBodies(size({ small: 220, full: 5000 }))];
    expect(bodies.length).toBeGreaterThan(300);
    const answers = await atOnce(8, bodies.length, (index) => post(bodies[index] ?? ''));
    for (const [index, { status, text, body }] of answers.entries()) {
      const what = JSON.stringify(String(bodies[index]).slice(0, 200));
      expect([200, 400, 413], what).toContain(status);
      expect([400, 413, 429], what).toContain(body.code);
      expect(Object.keys(body), text).toEqual(['code', 'msg']);
      expect(texts.has(String(body.msg)), text).toBe(true);
    }
    for (const text of ['{}', '[]', '{"username":"carl"}'])
      expect(decisionOf(await post(text))).toBe('params_invalid');
    await service().database.query('delete from throttle');
    expect((await service().logIn('carl')).body.code).toBe(200);
    await service().server.stop();
    expect(service().server.process.output).toContain('{"prototypes":"untouched"}');
  });
});

describe('hashing', () => {
  /** About a third of a second each, so that every hash shows. */
  const cost = { HASH_MEMORY_KIBIBYTES: '32768', HASH_PASSES: '10' };
  const service = useService({ mode: 'dev', settings: { ...cost, HASH_CONCURRENCY: '2' } });

  /** Logins of different people at once, every other one of whom hangs up as soon as the password is being verified. */
  async function flood(round: string): Promise<Answer[]> {
    const { port } = service().server;
    const leaving = Array.from({ length: 10 }, (_, index) =>
      hangUp(port, { username: `${round}-leaves${index}`, password: 'x' }),
    );
    const staying = atOnce(20, 20, (index) => guess(service(), { username: `${round}-stays${index}` }));
    await Promise.all(leaving);
    return await staying;
  }

  it('T83 never runs more hashes at once than the limit, also after clients disconnect, and drops logins that wait too long', async () => {
    const { pid } = service().server.process;
    const base = readResidentBytes(pid);
    let answers: Answer[] = [];
    const unknown = await runningDuring(pid, async () => {
      answers = await flood('first');
    });
    // A network without an earlier login leaves one of the two to the others.
    expect(unknown).toBe(1);
    // A machine that stalls for seconds lets a lease run out, and a login is refused then.
    const due = isJudged('that no login is unavailable in a flood')
      ? /^(400|429 wait 1)$/
      : /^(400|429 wait 1|503)$/;
    for (const answer of answers) expect(summaryOf(answer)).toMatch(due);
    const reasons = await countReasons(service().database, answers);
    const { credentials_wrong = 0, throttled = 0, unavailable = 0 } = reasons;
    expect(credentials_wrong + throttled + unavailable).toBe(answers.length);
    expect(throttled).toBeGreaterThan(0);

    await eventually(async () => (await service().logIn('carl')).body.code).toBe(200);
    const known = await runningDuring(pid, () => flood('second'));
    expect(known).toBe(2);
    expect(readResidentBytes(pid) - base).toBeLessThan(2 * 32 * megabyte + 50 * megabyte);
  });

  it('T83 keeps the slot and the attempt of a client that disconnected', async () => {
    const { database, server } = service();
    const inFlight = async () => {
      const [row] = await database.query<{ in_flight: number }>(
        `select in_flight from throttle where kind = 'network'`,
      );
      return row?.in_flight;
    };
    // Those who left before are still being verified, and count when that has ended.
    await eventually(inFlight).toBe(0);
    await database.query('delete from throttle');
    const names = ['gone1', 'gone2', 'gone3', 'gone4'];
    const running = await runningDuring(server.process.pid, async () => {
      await Promise.all(names.map((username) => hangUp(server.port, { username, password: 'x' })));
      await eventually(inFlight).toBe(0);
    });
    expect(running).toBeGreaterThan(0);
    expect(running).toBeLessThanOrEqual(2);
    const readEnd = async () =>
      (
        await database.query<{ failures: number; hashed: number; logged: number }>(
          `select failures, count(*) filter (where reason = 'credentials_wrong')::int as hashed, count(*)::int as logged
           from throttle, login_log where kind = 'network' and username = any($1) group by failures`,
          [names.map(hiddenName)],
        )
      )[0];
    await eventually(async () => (await readEnd())?.logged).toBe(names.length);
    const { failures, hashed } = (await readEnd()) ?? {};
    expect(hashed).toBeGreaterThan(0);
    expect(failures).toBe(hashed);
  });
});

describe('what is kept', () => {
  it('T85 keeps captchas until they expire, and a sweep deletes them', async () => {
    const database = await createDatabase({ migrated: true });
    const store = openStore({ url: database.url, poolSize: 2, onConnectionLost: () => {} });
    try {
      const captchas = createCaptchaStore(store);
      await database.query(
        `insert into captchas select 'old' || n, '', now() - interval '1 second' from generate_series(1, $1) n`,
        [size({ small: 20_000, full: 1_000_000 })],
      );
      await captchas.put('live', Buffer.alloc(32), 120);
      await captchas.sweep();
      expect(await database.query('select id from captchas')).toEqual([{ id: 'live' }]);
    } finally {
      await store.destroy();
      await database.drop();
    }
  });

  describe('of networks that send requests', () => {
    const networks = size({ small: 160_000, full: 1_000_000 });
    const ipOf = (index: number) =>
      index % 2
        ? `2001:db8:${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`
        : `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

    function createVisits() {
      let at = 0;
      const check = createLimitCheck({ requestsPerSecond: 1, burst: 3, now: () => at });
      /** Each of these networks once; the processor time of one in microseconds. */
      function visit(from: number, to: number): number {
        const before = process.cpuUsage();
        for (let index = from; index < to; index += 1) {
          at += 1;
          check({ ip: ipOf(index) });
        }
        return process.cpuUsage(before).user / (to - from);
      }
      return { check, visit };
    }

    it('T86 stores no more than 100,000, and still refuses a network that repeats its requests', () => {
      const { check, visit } = createVisits();
      const empty = usedHeapBytes();
      visit(0, 110_000);
      const full = usedHeapBytes() - empty;
      expect(full).toBeGreaterThan(megabyte);
      expect(full).toBeLessThan(50 * megabyte);
      visit(110_000, networks);
      expect(usedHeapBytes() - empty - full).toBeLessThan(5 * megabyte);
      for (let count = 0; count < 3; count += 1) check({ ip: '192.0.2.1' });
      expect(() => check({ ip: '192.0.2.1' })).toThrow();
    });

    it('T86 takes the same time for one more, whether it evicts others or not', () => {
      const { visit } = createVisits();
      const first = visit(0, 90_000);
      visit(90_000, networks - 50_000);
      expect(visit(networks - 50_000, networks)).toBeLessThan(8 * first);
    });
  });
});

describe('when a dependency fails', () => {
  const internals =
    /select|insert|update |relation|column|syntax|postgres|pg_|password_hash|econn|timeout|\.ts\b|\.js\b|node_modules|fastify|kysely|\bat .+:\d+|\d+\.\d+\.\d+/i;
  let database: Database;
  let proxy: TcpProxy;
  let server: Server;
  let client: HttpClient;
  beforeAll(async () => {
    database = await createDatabase({ migrated: true });
    await seed(database);
    proxy = await startTcpProxy({ port: Number(new URL(database.url).port) || 5432 });
    server = await startServer({
      databaseUrl: proxy.urlThrough(database.url),
      // As many connections as requests, so that they all wait at the same time.
      settings: { APPLICATION_MODE: 'dev', DATABASE_POOL_SIZE: '40' },
    });
    // Between two faults connections are idle for so long that the service closes them.
    client = createHttpClient(server.port, { remembers: false, resends: true });
  });
  afterAll(async () => {
    client.close();
    proxy.heal();
    await server.stop();
    await proxy.close();
    await database.drop();
  });

  async function freshToken(): Promise<string> {
    let token: unknown;
    // The instance renews the lease again.
    await eventually(
      async () => {
        ({ token } = (await guess(client, { username: 'ada', password })).body);
        return typeof token;
      },
      { timeout: 120_000 },
    ).toBe('string');
    return String(token);
  }

  it.each(Object.keys(faults))('T87 reports the failure and nothing else: %s', async (name) => {
    const fault = faults[name];
    const token = await freshToken();
    const end = await fault?.begin({ database, proxy });
    const answers: Answer[] = [];
    try {
      const { harmless, ending } = requestsOfAll(token);
      answers.push(...(await Promise.all(harmless.map(client.send))));
      answers.push(...(await Promise.all(ending.map(client.send))));
    } finally {
      await end?.();
    }
    for (const { request, headers, text, body } of answers) {
      const { 'x-request-id': _id, date: _date, 'keep-alive': _rest, ...telling } = headers;
      const what = `${request.method} ${request.path}: ${text}`;
      if (body.code === 200) continue;
      expect(Object.keys(body), what).toEqual(['code', 'msg']);
      expect(texts.has(String(body.msg)), what).toBe(true);
      expect(JSON.stringify(telling) + text).not.toMatch(internals);
    }
    expect(answers.map(({ status }) => status)).toContain(fault?.status);
  });
});

/** The code of a success, the status of a refusal that has one, else the reason. */
function decisionOf({ status, headers, body }: RawAnswer): string {
  if (body.code === 200) return '200';
  return status === 200 ? (headers['x-auth-reason'] ?? '') : String(status);
}
