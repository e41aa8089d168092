// What an instance leaves behind whose database was away for hours: a spool of full segments, made with the product's
// own frames, and nobody who owns it.
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
  /** Puts it where services look for what others left behind; it is gone when all of it is stored. */
  leave(): Promise<LeftBehind>;
}

export interface LeftBehind {
  readonly folder: string;
  /** Of its first segment, which is gone as soon as that is stored. */
  readonly firstPath: string;
}

const awayMilliseconds = 4 * 3_600_000;
let made = 0;

export async function makeBacklog(database: Database, records: number): Promise<Backlog> {
  const [deployment] = await database.query<{ id: string }>('select id from deployment');
  const root = spoolRoot(spoolFolderOf(database.url), deployment?.id ?? '');
  made += 1;
  const name = (0x0bad_0000 + made).toString(16).padStart(8, '0');
  const [staging, folder] = [join(`${root}-aside`, name), join(root, name)];
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
    async leave() {
      await mkdir(root, { recursive: true });
      await rename(staging, folder);
      return { folder, firstPath: pathOf({ folder, number: 1 }) };
    },
  };
}
