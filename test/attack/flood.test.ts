// The login flooded with twenty times what it can do, as if every captcha had been solved (mode dev asks for none).
// On two cores the flood competes with the service: it is held on one of them, and does not catch up in bursts; the
// service, Postgres and the prober use both.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../conformance/eventually.ts';
import { isJudged, judgesTimes } from '../rig/judges-times.ts';
import { password } from '../rig/seed.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { watchSteal } from './flood/watch-steal.ts';
import { size } from './size.ts';

const seconds = size({ small: judgesTimes ? 12 : 4, full: 60 });
const capacitySeconds = judgesTimes ? 3 : 1;
const addresses = 1000;
/** A host that is busy with others lets one short round say little about the slowest of a hundred. */
const judged = size({ small: 0.5, full: 0.99 });
const enoughChecks = size({ small: 1, full: 15_000 });
const mostRounds = size({ small: 1, full: 5 });
/** One in a hundred; in a short round one may fall into a moment in which the whole machine stands still. */
const mostFailedLogins = size({ small: 1, full: seconds / 100 });
/** Of which at least twenty arrive: what the flooder is late for is not sent. */
const timesCapacity = 23;

type Time = readonly [at: number, milliseconds: number];
interface Probes {
  readonly checks: readonly Time[];
  readonly logins: readonly Time[];
  readonly failures: readonly string[];
}

async function run<T>(command: readonly string[], script: string, values: readonly unknown[]): Promise<T> {
  const [program = '', ...options] = [...command, process.execPath];
  const file = join(import.meta.dirname, 'flood', script);
  const child = spawn(program, [...options, file, ...values.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  return JSON.parse(text) as T;
}

/** Logins a second where nothing else happens. */
async function measureCapacity(service: Service): Promise<number> {
  const startedAt = performance.now();
  let logins = 0;
  const logIn = async (username: string) => {
    while (performance.now() - startedAt < 1000 * capacitySeconds)
      if ((await service.logIn(username)).body.code === 200) logins += 1;
  };
  await Promise.all(['ada', 'carl', 'alba', 'bela', 'gina'].flatMap((name) => [logIn(name), logIn(name)]));
  // A moment in which the machine stood still must not make the flood a trickle.
  return Math.max(10, logins / capacitySeconds);
}

/** A login is refused for lack of a slot. */
async function untilFlooded({ database }: Service): Promise<void> {
  const find = () => database.query(`select id from login_log where reason = 'throttled' limit 1`);
  await eventually(async () => (await find()).length, { timeout: 120_000 }).toBe(1);
}

/** What a service may answer that did not get the processors in time: a lease ran out, or a slot was waited for too long. */
const isForLackOfTime = (failure: string) => /"code":503|login: .*"code":429/.test(failure);

function watchMemory(pid: number) {
  const read = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = read();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, read());
  }, 100);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN;
}

interface Round {
  /** Of what nothing disturbed, in milliseconds; at the small size of all. */
  readonly checks: readonly number[];
  readonly logins: readonly number[];
  readonly failures: readonly string[];
  readonly grownByMegabytes: number;
}

async function floodOnce(service: Service, capacity: number): Promise<Round> {
  const token = await service.tokenOf('carl');
  const stopWatching = watchMemory(service.server.process.pid);
  const steal = watchSteal();
  const flood = run<{ sent: number; left: number; codes: Record<string, number> }>(
    ['taskset', '-c', '1'],
    'flooder.ts',
    [service.server.port, Math.round(timesCapacity * capacity), seconds + 4, addresses],
  );
  await untilFlooded(service);
  const probes = await run<Probes>([], 'prober.ts', [service.server.port, seconds, token, 'carl', password]);
  const grownByMegabytes = stopWatching();
  const { sent, left, codes } = await flood;
  steal.stop();
  const undisturbed = (times: readonly Time[]) =>
    times
      .filter(([at, taken]) => mostRounds === 1 || !steal.wasDisturbed(at, at + taken))
      .map(([, taken]) => taken);
  const [checks, logins] = [undisturbed(probes.checks), undisturbed(probes.logins)];
  console.log(
    [
      `flood of ${(sent / (seconds + 4)).toFixed(0)} a second (${left} not sent), answered ${JSON.stringify(codes)}`,
      `${probes.checks.length} checks, ${probes.logins.length} logins, ${probes.failures.length} failures; ${(100 * steal.share).toFixed(0)} % of the time the host was busy with others`,
      `of these ${describeTimes('checks', checks)}; ${describeTimes('logins', logins)}`,
      `memory grew by ${grownByMegabytes.toFixed(0)} MB at most`,
    ].join('\n'),
  );
  return { checks, logins, failures: probes.failures, grownByMegabytes };
}

function describeTimes(name: string, times: readonly number[]): string {
  return `${times.length} ${name}, p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`;
}

it('T83 a flood of logins neither delays the checks nor blocks logins from a known network', async () => {
  const service = await startService({
    mode: 'dev',
    settings: { THROTTLE_FAILURES_BEFORE_DELAY: '5', THROTTLE_NETWORK_FAILURES_PER_MINUTE: '20' },
  });
  try {
    const capacity = await measureCapacity(service);
    console.log(`capacity ${capacity.toFixed(0)} logins a second`);
    const rounds: Round[] = [];
    const all = <T>(pick: (round: Round) => readonly T[]) => rounds.flatMap(pick);
    while (rounds.length < mostRounds && all(({ checks }) => checks).length < enoughChecks)
      rounds.push(await floodOnce(service, capacity));
    const failures = Object.groupBy(
      all((round) => round.failures),
      (failure) => (failure.includes('login') ? 'logins' : 'checks'),
    );
    const times = { checks: all(({ checks }) => checks), logins: all(({ logins }) => logins) };
    expect(times.checks.length).toBeGreaterThan(0);
    if (isJudged('the times of checks and logins in a flood')) {
      expect(failures.checks ?? []).toEqual([]);
      expect(failures.logins?.length ?? 0).toBeLessThanOrEqual(mostFailedLogins);
      expect(percentile(times.logins, judged)).toBeLessThan(1500);
      expect(percentile(times.checks, judged)).toBeLessThan(25);
    } else expect(all((round) => round.failures).filter((failure) => !isForLackOfTime(failure))).toEqual([]);
    expect(Math.max(...rounds.map(({ grownByMegabytes }) => grownByMegabytes))).toBeLessThan(100);
    expect(await service.send({ path: '/api/v1/greeting' })).toMatchObject({ status: 200 });
  } finally {
    await service.stop();
  }
});
