// What can be wrong with the table alone: people log in as before, and the spool keeps what cannot be stored (F10).
import { setTimeout as sleep } from 'node:timers/promises';
import { isJudged } from '../../../rig/judges-times.ts';
import type { Stage } from '../log-instance.ts';
import type { LogFault, LogFaultFrame } from './frame.ts';
import type { SmallDisk } from './small-disk.ts';

/** How much slower a login may be while the table is locked; a login that waited for it would take seconds. */
const slower = { factor: 2, milliseconds: 50 };

export const lockedTableFault: LogFault = {
  name: 'locked table',
  async run({ stage, seconds, measureLogins, check, until, remark, relieve }) {
    const before = measureLogins();
    await sleep(seconds * 1000);
    const unlock = await stage.database.lock('login_log');
    const during = measureLogins();
    // No login waits for the relief: the last logins are answered before it.
    await sleep(seconds * 1000);
    await until(() => during.at(0.5) > 0, 'a login is answered while the table is locked');
    remark(`logins before: ${before.text()}`);
    remark(`logins while the table was locked for ${seconds} s: ${during.text()}`);
    check(
      !isJudged('the time of logins while the table is locked') ||
        during.at(0.99) <= before.at(0.99) * slower.factor + slower.milliseconds,
      'logins took longer while the table was locked',
    );
    await relieve(unlock);
  },
};

/** `disk` belongs to Postgres. */
export function createFullTablespaceFault(disk: SmallDisk): LogFault {
  return {
    name: 'full tablespace',
    async run(frame) {
      const { stage, seconds, countOk, until, relieve } = frame;
      await moveTableTo(disk, stage);
      await disk.fill(0);
      await untilFull(frame);
      const before = countOk();
      await sleep(seconds * 1000);
      await until(() => countOk() > before, 'a person logs in while the table is full');
      await relieve(() => disk.clear());
    },
  };
}

/** The spool holds records that the table has no room for. */
export async function untilFull({ readMetric }: Pick<LogFaultFrame, 'readMetric'>): Promise<void> {
  while ((await readMetric('portcullis_login_log_lag_seconds')) < 0.5) await sleep(50);
}

export async function moveTableTo({ folder }: SmallDisk, { database }: Stage): Promise<void> {
  const partitions = await database.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'login_log'::regclass`,
  );
  const space = `small_${folder.slice(-6).toLowerCase()}`;
  await database.query(`create tablespace "${space}" location '${folder}'`);
  for (const { name } of partitions) await database.query(`alter table ${name} set tablespace "${space}"`);
}
