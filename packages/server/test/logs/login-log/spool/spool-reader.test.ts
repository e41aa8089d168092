import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { encodeFrame } from '../../../../src/logs/login-log/spool/frame.ts';
import { pathOf, segmentBytes } from '../../../../src/logs/login-log/spool/segment.ts';
import { createSpoolReader, openLeftBehind } from '../../../../src/logs/login-log/spool/spool-reader.ts';
import { faultOf, fileHandles } from '../file-handles.ts';
import { maySetUpDisks, useSmallDisk } from '../small-disk.ts';
import { useTemporaryFolder } from '../temporary-folder.ts';
import { readAll } from './read-all.ts';

const folder = useTemporaryFolder();
afterEach(() => {
  vi.restoreAllMocks();
});
const placeOf = (number: number) => ({ folder: folder(), number });
/** A segment as a process leaves it behind. */
async function leave(
  number: number,
  texts: readonly string[],
  tail: Buffer = Buffer.alloc(0),
  at = folder(),
) {
  const bytes = Buffer.concat([...texts.map((text) => encodeFrame(text, number)), tail]);
  const rest = Buffer.alloc(Math.max(0, segmentBytes - bytes.length));
  await writeFile(pathOf({ folder: at, number }), Buffer.concat([bytes, rest]));
}

describe('a record that an ended process left', () => {
  it.each([
    ['half a record', encodeFrame('torn', 1).subarray(0, 10)],
    [
      'a record whose middle never reached the disk',
      Buffer.concat([Buffer.from([200, 0, 0, 0]), Buffer.alloc(90, 7)]),
    ],
    ['a record of the segment that lay there before', encodeFrame('stale', 9)],
  ])('ends with %s, and is read up to it', async (_what, tail) => {
    await leave(1, ['a', 'b'], tail);
    await leave(2, ['c']);
    expect(await readAll(await openLeftBehind(folder()))).toEqual(['a', 'b', 'c']);
    expect(await readdir(folder())).toEqual([]);
  });

  it('is read also after a truncated or empty segment', async () => {
    await writeFile(pathOf(placeOf(1)), '');
    await leave(2, []);
    await writeFile(pathOf(placeOf(3)), encodeFrame('a', 3));
    await leave(4, ['b']);
    expect(await readAll(await openLeftBehind(folder()))).toEqual(['a', 'b']);
  });

  it('fills its segment to the last byte', async () => {
    const texts = Array.from({ length: 128 }, (_, index) => String(index).padEnd(8184, '.'));
    await leave(1, texts);
    expect(await readAll(await openLeftBehind(folder()))).toEqual(texts);
  });

  it('is read whole again where it was not done', async () => {
    await leave(1, ['a', 'b', 'c']);
    const before = await openLeftBehind(folder());
    await (await before.next(2))?.done();
    await before.close();
    expect(await readAll(await openLeftBehind(folder()))).toEqual(['a', 'b', 'c']);
  });

  it('is read by two at once, each all that the other has not stored', async () => {
    for (const number of [1, 2, 3]) await leave(number, [`${number}a`, `${number}b`]);
    const [one, other] = [await openLeftBehind(folder()), await openLeftBehind(folder())];
    const first = await one.next(10);
    const same = await other.next(10);
    expect(first?.texts).toEqual(same?.texts);
    await first?.done();
    expect(await readAll(one)).toEqual(['2a', '2b', '3a', '3b']);
    await same?.done();
    expect(await readAll(other)).toEqual([]);
    expect(await readdir(folder())).toEqual([]);
  });

  it('stays where reading fails, and is read when that is over', async () => {
    await leave(1, ['a']);
    const reader = await openLeftBehind(folder());
    vi.spyOn(fileHandles, 'read').mockRejectedValueOnce(faultOf('EIO'));
    await expect(reader.next(10)).rejects.toThrow('EIO');
    expect(await readAll(reader)).toEqual(['a']);
  });

  it('is missing from an empty folder', async () => {
    expect(await readAll(await openLeftBehind(folder()))).toEqual([]);
  });
});

describe('a segment of this process', () => {
  it('is reported once when it is deleted, and does not block the next ones', async () => {
    await leave(2, ['b']);
    const own = { end: encodeFrame('b', 2).length, stored: 0, isOpen: false };
    const reader = createSpoolReader([
      { ...placeOf(1), ...own },
      { ...placeOf(2), ...own },
    ]);
    await expect(reader.next(10)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readAll(reader)).toEqual(['b']);
  });
});

describe.runIf(maySetUpDisks)('on a disk that has become read-only', () => {
  const disk = useSmallDisk(folder, 4);

  it('does not stop at a segment that cannot be deleted', async () => {
    await leave(1, ['a'], undefined, disk().folder);
    await leave(2, ['b'], undefined, disk().folder);
    disk().remount('ro');
    expect(await readAll(await openLeftBehind(disk().folder))).toEqual(['a', 'b']);
    disk().remount('rw');
    expect(await readAll(await openLeftBehind(disk().folder))).toEqual(['a', 'b']);
  });
});

it('cannot open a folder that does not exist', async () => {
  await mkdir(`${folder()}/gone`);
  await rm(`${folder()}/gone`, { recursive: true });
  await expect(openLeftBehind(`${folder()}/gone`)).rejects.toMatchObject({ code: 'ENOENT' });
});
