// The frame of every fault of the log: an instance under login load, the fault, and when it is over the question that no
// fault excuses: is everything that was answered in the table, once.
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpClient } from '../../../rig/http-client.ts';
import { isJudged } from '../../../rig/judges-times.ts';
import type { PostgresServer } from '../../../rig/postgres-server.ts';
import { createLatency, type Latency } from '../../latency.ts';
import {
  type AttemptBook,
  type Comparison,
  compareWithTable,
  createAttemptBook,
  findProblems,
} from '../attempt-book.ts';
import {
  createLogInstance,
  type LogInstance,
  listLeftSegments,
  prepareStage,
  type Stage,
} from '../log-instance.ts';
import { type LoginLoad, startLoginLoad } from '../login-load.ts';

export interface LogFault {
  readonly name: string;
  /** Where the fault needs a separate disk for the spool. */
  readonly spoolFolder?: string;
  /** Attempts that failed may be missing: it broke both places where they are kept. */
  readonly mayLackFailures?: boolean;
  /** Breaks something under load, and mends it within `frame.relieve`. */
  readonly run: (frame: LogFaultFrame) => Promise<void>;
}

export interface LogFaultFrame {
  readonly postgres: PostgresServer;
  readonly stage: Stage;
  readonly instance: LogInstance;
  readonly book: AttemptBook;
  /** How long the fault is to last. */
  readonly seconds: number;
  /** Waits until it is so; throws where only a hang explains that it is not. */
  until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void>;
  /** How long a login that succeeds takes, from now on. */
  measureLogins(): Latency;
  check(isSo: boolean, otherwise: string): void;
  remark(text: string): void;
  countOk(): number;
  readMetric(name: string): Promise<number>;
  /** Ends the load, mends what is broken, and measures how fast the spool empties. */
  relieve(mend: () => Promise<void>): Promise<void>;
}

const lanes = 16;
const warmUpAttempts = 100;
const patienceMilliseconds = 300_000;
const leastRowsPerSecond = 15_000;
/** A rate over fewer rows says nothing. */
const leastBacklog = 10_000;

export async function runLogFault(
  fault: LogFault,
  postgres: PostgresServer,
  { seconds, seed }: { seconds: number; seed: number },
): Promise<{ failures: string[]; remarks: string[] }> {
  const failures: string[] = [];
  const remarks: string[] = [];
  const book = createAttemptBook();
  const stage = await prepareStage({
    server: postgres.url(),
    ...(fault.spoolFolder === undefined ? {} : { spoolFolder: fault.spoolFolder }),
  });
  const instance = createLogInstance({ databaseUrl: stage.database.url, spoolFolder: stage.spoolFolder });
  let latency: Latency | undefined;
  const startLoad = () =>
    startLoginLoad({
      targets: [instance],
      lanesPerTarget: lanes,
      book,
      seed,
      latency: (told) => (told === 'ok' ? latency : undefined),
    });
  let load: LoginLoad | undefined;
  const check = (isSo: boolean, otherwise: string) => void (isSo || failures.push(otherwise));
  const remark = (text: string) => void remarks.push(text);
  const countOk = () => book.countReasons().ok ?? 0;

  async function readMetric(name: string): Promise<number> {
    const client = createHttpClient(instance.server?.opsPort ?? 0);
    try {
      const { text } = await client.send({ path: '/metrics' });
      const line = text.split('\n').find((one) => one.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1));
    } finally {
      client.close();
    }
  }

  async function relieve(mend: () => Promise<void>): Promise<void> {
    await load?.stop();
    failures.push(...(load?.failures ?? []));
    await mend();
    const mendedAt = performance.now();
    const inSpool = await readMetric('portcullis_login_log_spool_bytes');
    const rowsBefore = await countRows(stage);
    let startedAt: number | undefined;
    for (;;) {
      const bytes = await readMetric('portcullis_login_log_spool_bytes');
      if (bytes < inSpool) startedAt ??= performance.now();
      if (bytes === 0) break;
      if (performance.now() - mendedAt > patienceMilliseconds) {
        failures.push('the spool did not empty within five minutes');
        return;
      }
      await sleep(5);
    }
    const now = performance.now();
    const rows = (await countRows(stage)) - rowsBefore;
    const rate = (rows * 1000) / Math.max(1, now - (startedAt ?? now));
    remark(
      `${rows.toLocaleString('en')} records waited; the first went ${((startedAt ?? now) - mendedAt).toFixed(0)} ms after the relief, the last ${(now - mendedAt).toFixed(0)} ms after it${rows < leastBacklog ? '' : ` (${Math.round(rate).toLocaleString('en')} a second)`}`,
    );
    if (rows >= leastBacklog && isJudged('the rate of the drain'))
      check(rate >= leastRowsPerSecond, `it drained only ${rate.toFixed(0)} rows a second`);
  }

  try {
    await instance.start();
    load = startLoad();
    await until(() => book.answered >= warmUpAttempts && countOk() > 0, 'a login succeeds before the fault');
    await fault.run({
      postgres,
      stage,
      instance,
      book,
      seconds,
      until,
      measureLogins() {
        latency = createLatency();
        return latency;
      },
      check,
      remark,
      countOk,
      readMetric,
      relieve,
    });
    await holdLoginsAgain();
    const unrecorded = await countUnrecorded();
    const code = await instance.stop();
    check(code === 0, `the instance exited with ${code}`);
    for (const path of await listLeftSegments(stage.spoolFolder))
      failures.push(`${path} holds records that were not drained`);
    const comparison = await compareWithTable(stage.database, book);
    failures.push(...findProblems(comparison, fault));
    check(
      comparison.missing === unrecorded,
      `${comparison.missing} are missing, but the instance counted ${unrecorded}`,
    );
    remark(tell(book, comparison));
  } catch (error) {
    failures.push(String(error));
  } finally {
    await instance.kill();
    await load?.stop();
    await stage.close();
  }
  return {
    failures: failures.map((text) => `${fault.name}: ${text}`),
    remarks: remarks.map((text) => `${fault.name}: ${text}`),
  };

  async function countUnrecorded(): Promise<number> {
    const name = 'portcullis_login_log_unrecorded_total';
    return (
      (await readMetric(`${name}{outcome="success"}`)) + (await readMetric(`${name}{outcome="failure"}`))
    );
  }

  /** Once it is over, people can log in. */
  async function holdLoginsAgain(): Promise<void> {
    const before = countOk();
    const startedAt = performance.now();
    load = startLoad();
    while (countOk() === before && performance.now() - startedAt < patienceMilliseconds) await sleep(20);
    await load.stop();
    failures.push(...load.failures);
    check(countOk() > before, 'no login works after the fault');
  }
}

function tell(book: AttemptBook, { missing, missingSuccesses, doubled, wrong }: Comparison): string {
  const reasons = Object.entries(book.countReasons()).map(([reason, count]) => `${reason} ${count}`);
  return `${book.answered.toLocaleString('en')} answered (${reasons.join(', ')}): ${missing} missing (${missingSuccesses} successes), ${doubled} doubled, ${wrong} wrong`;
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMilliseconds;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited for five minutes in vain until ${what}.`);
    await sleep(10);
  }
}

async function countRows({ database }: Stage): Promise<number> {
  const [row] = await database.query<{ n: number }>('select count(*)::int as n from login_log');
  return row?.n ?? 0;
}
