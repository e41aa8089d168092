// What an instance leaves behind whose database was away for hours: a spool of full segments, made with the product's
// own frames, and nobody who owns it.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeFrame, maxFrameBytes } from '../../packages/server/src/login-log/spool/frame.ts';
import { spoolRoot } from '../../packages/server/src/login-log/spool/owner.ts';
import { pathOf, segmentBytes } from '../../packages/server/src/login-log/spool/segment.ts';
import type { Database } from '../../test/rig/create-database.ts';
import { spoolFolderOf } from '../../test/rig/spool-folder.ts';
import { createBenchChain, createRowMaker } from './chained-rows.ts';

export interface Backlog {
  readonly folder: string;
  readonly bytes: number;
}

const awayMilliseconds = 4 * 3_600_000;

export async function leaveBehind(database: Database, records: number): Promise<Backlog> {
  const [deployment] = await database.query<{ id: string }>('select id from deployment');
  const folder = join(spoolRoot(spoolFolderOf(database.url), deployment?.id ?? ''), '0badcafe');
  await mkdir(folder, { recursive: true });
  const makeRow = await createRowMaker();
  const chain = createBenchChain();
  const firstAt = Date.now() - awayMilliseconds;
  let bytes = 0;
  for (let number = 1, record = 0; record < records; number += 1) {
    const segment = Buffer.alloc(segmentBytes);
    let end = 0;
    for (; record < records && segmentBytes - end >= maxFrameBytes; record += 1) {
      const row = makeRow(firstAt + Math.floor((record / records) * awayMilliseconds));
      end += encodeFrame(JSON.stringify(chain.add(row)), number).copy(segment, end);
    }
    await writeFile(pathOf({ folder, number }), segment);
    bytes += end;
  }
  return { folder, bytes };
}
