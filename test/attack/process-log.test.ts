// Threats, T90, and a process log without a reader: the service answers on, drops lines of the process log and counts
// them, and records every login.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/eventually.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { isJudged, judgesTimes } from '../rig/judges-times.ts';
import { password, seed } from '../rig/seed.ts';
import { businessService, fileOf, repository } from '../rig/start-process.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { patience } from './size.ts';

const requests = 2000;
/** So many say how long one takes. */
const measured = judgesTimes ? requests : 100;
const failedLogins = 10;
const p99Milliseconds = 50;
/** The end of a process waits for a second for a reader that has stopped; one without a limit would wait on. */
const endMilliseconds = 2000;
const patientEnd = `${repository}test/attack/login-log/patient-end.ts`;

describe.each(['pipe', 'socket'])('T90: where the reader of the process log stopped, on a %s', (kind) => {
  let database: Database;
  let server: Server;
  let client: HttpClient;
  let reader: number;
  let token: string;
  /** Requests that logged a line, since the start. */
  let failed = 0;

  async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    failed = 0;
    server = await startServer({
      databaseUrl: database.url,
      settings: { APPLICATION_MODE: 'dev', ...patience, ...settings },
      script: 'test/attack/login-log/read-service.ts',
      arguments: [kind, fileOf(businessService)],
    });
    reader = (JSON.parse(await server.process.waitForLine(/"reader"/)) as { reader: number }).reader;
    client = createHttpClient(server.port, { remembers: false, resends: true });
    token = String((await logIn(password)).body.token);
  }

  beforeAll(async () => {
    database = await createDatabase({ migrated: true });
    await seed(database);
    await start({ NODE_OPTIONS: `--import=${patientEnd}` });
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    await database.drop();
  });

  const logIn = (secret: string) =>
    client.send({ method: 'POST', path: '/api/v1/login', body: { username: 'carl', password: secret } });

  /** Requests that log a line each; the time that 99 of 100 took at most. */
  async function fail(count: number): Promise<number> {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const startedAt = performance.now();
      const { body } = await client.send({
        method: 'POST',
        path: '/api/v1/faults',
        headers: { authorization: `Bearer ${token}` },
        body: {},
      });
      times.push(performance.now() - startedAt);
      expect(body.code).toBe(500);
    }
    failed += count;
    return times.toSorted((one, other) => one - other)[Math.floor(count * 0.99)] ?? Infinity;
  }

  /** Until lines are dropped: what is waiting has reached its bound. */
  async function failUntilDropped(): Promise<void> {
    const before = await countDropped();
    for (let count = 0; count < requests && (await countDropped()) === before; count += 100) await fail(100);
  }

  async function countDropped(): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${server.opsPort}/metrics`);
    const [, count] = /^portcullis_process_log_dropped_lines_total (\d+)$/m.exec(await response.text()) ?? [];
    return Number(count);
  }

  const countLogged = () => server.process.output.split('\n').filter(isWholeLine).length;
  /** Every line that was not dropped has been read. */
  async function catchUp(): Promise<void> {
    const dropped = await countDropped();
    await eventually(countLogged, { timeout: 120_000 }).toBe(failed - dropped);
  }

  it('answers are as fast as before, lines are dropped and counted, and logging resumes with the reader', async () => {
    const control = await fail(measured);
    await catchUp();
    expect(await countDropped()).toBe(0);

    process.kill(reader, 'SIGSTOP');
    await failUntilDropped();
    const stopped = await fail(measured);
    console.log(`p99 ${stopped.toFixed(1)} ms, with a reader ${control.toFixed(1)} ms`);
    if (isJudged('the time of an answer without a reader'))
      expect(stopped).toBeLessThan(Math.max(p99Milliseconds, 3 * control));
    const dropped = await countDropped();
    expect(dropped).toBeGreaterThan(0);

    process.kill(reader, 'SIGCONT');
    await catchUp();
    await fail(1);
    await catchUp();
    expect(await countDropped()).toBe(dropped);
  });

  it('every failed login is answered and recorded', async () => {
    process.kill(reader, 'SIGSTOP');
    await failUntilDropped();
    for (let index = 0; index < failedLogins; index += 1) expect((await logIn('wrong')).body.code).toBe(400);
    const countRecords = async () =>
      (await database.query(`select 1 from login_log where reason = 'credentials_wrong'`)).length;
    await eventually(countRecords).toBe(failedLogins);
    process.kill(reader, 'SIGCONT');
    await catchUp();
  });

  it('an orderly stop waits briefly for the reader, and loses no line where it reads again', async () => {
    const dropped = await countDropped();
    process.kill(reader, 'SIGSTOP');
    await fail(500);
    expect(await countDropped()).toBe(dropped);
    const stopping = server.stop();
    const countInstances = async () => (await database.query('select 1 from instances')).length;
    await eventually(countInstances).toBe(0);
    // A process that would not wait has ended by now; this one does for as long as the test takes.
    await setTimeout(100);
    process.kill(reader, 'SIGCONT');
    expect(await stopping).toBe(0);
    expect(countLogged()).toBe(failed - dropped);
  });

  it('an orderly stop completes where the reader stays stopped', async () => {
    client.close();
    await start();
    process.kill(reader, 'SIGSTOP');
    await fail(500);
    const startedAt = performance.now();
    expect(await server.stop()).toBe(0);
    const milliseconds = performance.now() - startedAt;
    console.log(`the end took ${milliseconds.toFixed(0)} ms`);
    if (isJudged('the time of an end without a reader')) expect(milliseconds).toBeLessThan(endMilliseconds);
  });
});

function isWholeLine(line: string): boolean {
  if (!line.includes('a request failed')) return false;
  expect(JSON.parse(line)).toMatchObject({ level: 50, msg: 'a request failed' });
  return true;
}
