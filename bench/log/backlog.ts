// Creates a backlog: the spool of an instance whose database was unavailable for hours, with full segments in the
// product's own frame format, and without an owner.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeFrame, maxFrameBytes } from '../../packages/server/src/logs/login-log/spool/frame.ts';
import { spoolRoot } from '../../packages/server/src/logs/login-log/spool/owner.ts';
import { pathOf, segmentBytes } from '../../packages/server/src/logs/login-log/spool/segment.ts';
import type { Database } from '../../test/rig/create-database.ts';
import { spoolFolderOf } from '../../test/rig/spool-folder.ts';
import { createBenchChain, createRowMaker } from './chained-rows.ts';

export interface Backlog {
  readonly records: number;
  readonly segments: number;
  /**
   * Moves the spool to the folder where services look for abandoned spools. A service deletes it when
   * all its records are stored.
   */
  release(): Promise<LeftBehind>;
}

export interface LeftBehind {
  readonly folder: string;
  /** The path of its first segment, which is deleted as soon as its records are stored. */
  readonly firstPath: string;
}

const awayMilliseconds = 4 * 3_600_000;
let made = 0;

export async function makeBacklog(database: Database, records: number): Promise<Backlog> {
  const [deployment] = await database.query<{ id: string }>('select id from deployment');
  const root = spoolRoot(spoolFolderOf(database.url), deployment?.id ?? '');
  made += 1;
  const name = (0x0bad_0000 + made).toString(16).padStart(8, '0');
  const [staging, folder] = [join(`${root}-staging`, name), join(root, name)];
  await mkdir(staging, { recursive: true });
  const makeRow = await createRowMaker();
  const chain = createBenchChain();
  const firstAt = Date.now() - awayMilliseconds;
  let segments = 0;
  for (let record = 0; record < records; ) {
    segments += 1;
    const segment = Buffer.alloc(segmentBytes);
    let end = 0;
    for (; record < records && segmentBytes - end >= maxFrameBytes; record += 1) {
      const row = makeRow(firstAt + Math.floor((record / records) * awayMilliseconds));
      end += encodeFrame(JSON.stringify(chain.add(row)), segments).copy(segment, end);
    }
    await writeFile(pathOf({ folder: staging, number: segments }), segment);
  }
  return {
    records,
    segments,
    async release() {
      await mkdir(root, { recursive: true });
      await rename(staging, folder);
      return { folder, firstPath: pathOf({ folder, number: 1 }) };
    },
  };
}
