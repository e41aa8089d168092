// A spool whose disk is full (F15): attempts go straight into the table. Where that is full as well, no person is logged in
// without a record.
import { setTimeout as sleep } from 'node:timers/promises';
import { isJudged } from '../../../rig/judges-times.ts';
import { listLeftSegments } from '../log-instance.ts';
import type { LogFault, LogFaultFrame } from './frame.ts';
import type { SmallDisk } from './small-disk.ts';
import { moveTableTo } from './table-faults.ts';

/** Room for the file that is kept for successes and for one segment; or for none of them. */
export const freeAtStartBytes = { some: 2.4 * 1024 * 1024, none: 0.5 * 1024 * 1024 };
const backWithinMilliseconds = 1000;

export function createFullSpoolFault(disk: SmallDisk): LogFault {
  return {
    name: 'full spool',
    spoolFolder: disk.folder,
    async run(frame) {
      const { seconds, countOk, until, relieve } = frame;
      await untilDirect(frame);
      const before = countOk();
      await sleep(seconds * 1000);
      await until(() => countOk() > before, 'a person logs in while the spool is full');
      await holdRecovery(frame, disk);
      await relieve(async () => {});
    },
  };
}

export function createBothFullFault(disk: SmallDisk, tableDisk: SmallDisk): LogFault {
  return {
    name: 'full spool and full table',
    spoolFolder: disk.folder,
    mayLackFailures: true,
    async run(frame) {
      const { stage, seconds, book, countOk, check, remark, until, relieve } = frame;
      await moveTableTo(tableDisk, stage);
      check((await listLeftSegments(stage.spoolFolder)).length === 0, 'the spool has room');
      await tableDisk.fill(0);
      await until(() => (book.countReasons().unavailable ?? 0) > 0, 'a login is refused');
      const before = countOk();
      await sleep(seconds * 1000);
      remark(`${countOk() - before} logins found room after the first was refused`);
      await until(() => (book.countReasons().unavailable ?? 0) > 1, 'a second login is refused');
      await relieve(async () => {
        await disk.clear();
        await tableDisk.clear();
      });
    },
  };
}

/** Records that did not go through the spool are of another chain. */
async function untilDirect({ stage, until }: LogFaultFrame): Promise<void> {
  await until(async () => {
    const [row] = await stage.database.query<{ n: number }>(
      'select count(distinct chain)::int as n from login_log',
    );
    return (row?.n ?? 0) > 1;
  }, 'the spool is full');
}

/** From the moment when there is room again until the spool takes a record. */
async function holdRecovery({ stage, until, check, remark }: LogFaultFrame, disk: SmallDisk): Promise<void> {
  const before = new Set(await listLeftSegments(stage.spoolFolder));
  await disk.clear();
  const startedAt = performance.now();
  await until(async () => {
    const now = await listLeftSegments(stage.spoolFolder);
    return now.some((path) => !before.has(path));
  }, 'the spool takes records again');
  const milliseconds = performance.now() - startedAt;
  remark(`the spool took records ${milliseconds.toFixed(0)} ms after there was room`);
  check(
    !isJudged('how soon the spool is back') || milliseconds <= backWithinMilliseconds,
    `the spool came back only after ${milliseconds.toFixed(0)} ms`,
  );
}
