// Doctor checks on the login log: it is switched on, the spool folder is writable and has room, the monthly partitions
// exist, retention is up to date, and anchors are configured.
import { constants } from 'node:fs';
import { access, open, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { findDeployment } from '@portcullis/server/cluster/store/deployment.ts';
import { readLeft } from '@portcullis/server/logs/audit/sweep-store.ts';
import { listOldMonths } from '@portcullis/server/logs/evidence/retention-store.ts';
import { isOwned, listFolders, spoolRoot } from '@portcullis/server/logs/login-log/spool/owner.ts';
import {
  listSegments,
  pathOf,
  readFrames,
  segmentBytes,
} from '@portcullis/server/logs/login-log/spool/segment.ts';
import {
  type Check,
  type CheckInput,
  type Finding,
  skipped,
  warning,
  well,
  wrong,
  wrongFor,
} from './check.ts';
import { countDeadLetters, readMonths } from './doctor-store.ts';

const group = 'log';
const needs = ['migrations'];

export const loginLogChecks: readonly Check[] = [
  { id: 'login-log', group, title: 'login log', run: checkSwitch },
  { id: 'spool', group, title: 'spool', run: whereOn(checkSpool) },
  { id: 'spool-left', group, title: 'left in the spool', needs, run: whereOn(checkWhatIsLeft) },
  { id: 'partitions', group, title: 'months ahead', needs, run: whereOn(checkMonths) },
  { id: 'retention', group, title: 'retention', needs, run: whereOn(checkRetention) },
  { id: 'anchors', group, title: 'anchors', run: checkAnchors },
  { id: 'dead-letters', group, title: 'dead letters', needs, run: whereOn(checkDeadLetters) },
];

function checkSwitch({ config }: CheckInput): Finding {
  return config.loginLogEnabled
    ? well('on')
    : warning(
        'off: no login is recorded at all',
        'Set `logger.enableddb` (LOGGER_ENABLEDDB) to true, or remove it.',
      );
}

function whereOn(look: (input: CheckInput) => Promise<Finding>): Check['run'] {
  return (input) => (input.config.loginLogEnabled ? look(input) : skipped('the login log is off'));
}

const mebibyte = 1024 * 1024;
const folderRemedy =
  'Give the service a separate folder on a local disk and set `logger.spoolFolder` (LOGGER_SPOOL_FOLDER).';

/** File systems (by the kernel's magic number) that are unfit for the spool: they lose data, or depend on a network. */
const unfitFileSystems: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs, which a restart empties'],
  [0x858458f6, 'ramfs, which a restart empties'],
  [0x794c7630, 'a container’s own layer, which goes with it'],
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
]);

async function checkSpool({ config: { loginLog } }: CheckInput): Promise<Finding> {
  const folder = resolve(loginLog.spoolFolder);
  const standing = await findStanding(folder);
  const isThere = standing === folder;
  const why = await whyNotWritable(standing);
  if (why !== undefined) return wrong(`${standing} ${why}`, folderRemedy);
  const { type, bavail, bsize } = await statfs(standing);
  const unfit = unfitFileSystems.get(type);
  if (unfit !== undefined) return wrong(`${standing} is on ${unfit}`, folderRemedy);
  const free = Math.floor((bavail * bsize) / mebibyte);
  const found = lintRoom(free, loginLog.spoolMegabytes);
  if (found !== undefined) return found;
  // Root can write to every folder, so the result says that root ran the check.
  const asker = process.getuid?.() === 0 ? ' (as root)' : '';
  return isThere
    ? well(`${loginLog.spoolFolder}, ${Math.floor(free / 1024)} GiB free${asker}`)
    : warning(
        `${loginLog.spoolFolder} is not there`,
        'The first start on this host creates it. If the service has run here before, mount the disk that holds it.',
      );
}

/** What the start of an instance takes: a file for all attempts, and one for successful logins. */
const leastFreeMebibytes = 2;

/** Undefined where the spool can grow to its size. */
export function lintRoom(free: number, most: number): Finding | undefined {
  if (free < leastFreeMebibytes)
    return wrong(
      `${free} MiB free: the disk is full`,
      'Make room on that disk. Until then login attempts go straight to Postgres, and logins are refused while Postgres does not answer.',
    );
  return free < most
    ? warning(
        `${free} MiB free, can grow to ${most}`,
        'Make room on that disk, or lower `logger.spoolMegabytes`: without room, logins are refused while Postgres does not answer.',
      )
    : undefined;
}

/** The folder, or its nearest existing parent. */
async function findStanding(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT' && code !== 'ENOTDIR',
  );
  return isThere || dirname(folder) === folder ? folder : await findStanding(dirname(folder));
}

async function whyNotWritable(folder: string): Promise<string | undefined> {
  try {
    if (!(await stat(folder)).isDirectory()) return 'is no folder';
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `cannot be written to by this user (${(error as NodeJS.ErrnoException).code})`;
  }
}

async function checkWhatIsLeft({ config, store }: CheckInput): Promise<Finding> {
  const root = spoolRoot(config.loginLog.spoolFolder, await findDeployment(store));
  const folders = await listFolders(root).catch(() => []);
  const left: string[] = [];
  for (const folder of folders) if (!(await isOwned(folder)) && (await hasRecords(folder))) left.push(folder);
  const [first] = left;
  return first === undefined
    ? well('nothing left by an ended instance')
    : warning(
        `records of ${left.length} ended instance${left.length === 1 ? '' : 's'}`,
        `They are in ${first} and not in the table yet. Start an instance on this host: it stores them within a minute.`,
      );
}

/**
 * Whether a spool folder holds records. Segments are preallocated with zeros, so their size does
 * not show it. It only reads.
 */
async function hasRecords(folder: string): Promise<boolean> {
  for (const place of await listSegments(folder)) {
    const file = await open(pathOf(place), 'r');
    try {
      const { texts } = await readFrames(file, {
        number: place.number,
        from: 0,
        until: segmentBytes,
        most: 1,
      });
      if (texts.length > 0) return true;
    } finally {
      await file.close();
    }
  }
  return false;
}

const leastMonthsAhead = 2;

async function checkMonths({ store }: CheckInput): Promise<Finding> {
  const { hasThisMonth, ahead } = await readMonths(store);
  const remedy = 'Run `portcullis log maintain`, and let a timer do so every month.';
  if (!hasThisMonth) return wrong('this month has no partition', remedy);
  return ahead < leastMonthsAhead ? warning(`only ${ahead} ready`, remedy) : well(`${ahead} ready`);
}

async function checkRetention({ store, config }: CheckInput): Promise<Finding> {
  const { retentionMonths, auditRetentionMonths } = config.loginLog;
  const old = retentionMonths === 0 ? [] : await listOldMonths(store, retentionMonths);
  const isAuditDue =
    auditRetentionMonths > 0 && (await readLeft(store, auditRetentionMonths, new Date())).isDue;
  const due = [
    ...(old.length > 0 ? [`${old.length} older than ${retentionMonths} months`] : []),
    ...(isAuditDue ? [`records of the audit log older than ${auditRetentionMonths} months`] : []),
  ];
  if (due.length > 0)
    return warning(due.join(', '), 'Run `portcullis log maintain`, and let a timer do so every month.');
  const monthsOf = (kept: number) => (kept === 0 ? 'every month' : `${kept} months`);
  return well(`${monthsOf(retentionMonths)}, of the audit log ${monthsOf(auditRetentionMonths)}`);
}

const anchorRemedy =
  'Set `logger.anchorFolder` (LOGGER_ANCHOR_FOLDER) to a disk that the administrators of Postgres cannot write to, or `logger.anchorUrl` (LOGGER_ANCHOR_URL).';

/** Sends nothing: the metric `portcullis_anchor_exports_total` shows whether anchors arrive. */
async function checkAnchors({ config, problems }: CheckInput): Promise<Finding> {
  const found = wrongFor(problems.anchors, 'its address cannot be used');
  if (found !== undefined) return found;
  const { anchorFolder, anchorUrl, anchorIntervalMinutes } = config.anchors;
  if (anchorFolder === '' && anchorUrl === '')
    return config.devKeys
      ? well('none; production needs one')
      : warning(
          'none: what is cut off at the end of a log is not noticed',
          `The heads of the logs are only in Postgres. ${anchorRemedy}`,
        );
  const why = anchorFolder === '' ? undefined : await whyNotWritable(resolve(anchorFolder));
  if (why !== undefined) return wrong(`${anchorFolder} ${why}`, anchorRemedy);
  const places = [anchorFolder, anchorUrl === '' ? '' : new URL(anchorUrl).origin].filter((at) => at !== '');
  return well(`${places.join(' and ')}, every ${anchorIntervalMinutes} minutes`);
}

async function checkDeadLetters({ store }: CheckInput): Promise<Finding> {
  const count = await countDeadLetters(store);
  return count === 0
    ? well('none')
    : warning(
        `${count} records that the table refused`,
        'Nothing is lost: `login_log_dead_letters` has them, each with its cause. Report the cause.',
      );
}
