import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { encodeFrame, maxFrameBytes } from '../../../../src/logs/login-log/spool/frame.ts';
import {
  createSegment,
  deleteSegment,
  listSegments,
  pathOf,
  readFrames,
  segmentBytes,
  writeThrough,
} from '../../../../src/logs/login-log/spool/segment.ts';
import { faultOf, fileHandles } from '../file-handles.ts';
import { maySetUpDisks, useSmallDisk } from '../small-disk.ts';
import { useTemporaryFolder } from '../temporary-folder.ts';

const folder = useTemporaryFolder();
const place = () => ({ folder: folder(), number: 12 });
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a segment that cannot be made', () => {
  it.each(['write', 'sync'] as const)('because of %s leaves nothing behind', async (call) => {
    vi.spyOn(fileHandles, call).mockRejectedValueOnce(faultOf('EIO'));
    await expect(createSegment(place())).rejects.toThrow('EIO');
    expect(await readdir(folder())).toEqual([]);
  });

  it('never replaces another', async () => {
    await writeFile(pathOf(place()), 'records');
    await expect(createSegment(place())).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(pathOf(place()), 'utf8')).toBe('records');
  });
});

describe.runIf(maySetUpDisks)('on a disk without room', () => {
  const disk = useSmallDisk(folder, 1);

  it('a segment that does not fit leaves the room as it was', async () => {
    await writeFile(join(disk().folder, 'other'), Buffer.alloc(segmentBytes / 2));
    await expect(createSegment({ folder: disk().folder, number: 1 })).rejects.toMatchObject({
      code: 'ENOSPC',
    });
    expect(await readdir(disk().folder)).toEqual(['other']);
  });

  it('a segment that was made takes its records all the same', async () => {
    const file = await createSegment({ folder: disk().folder, number: 1 });
    await expect(writeFile(join(disk().folder, 'other'), 'x')).rejects.toMatchObject({ code: 'ENOSPC' });
    await writeThrough(file, Buffer.alloc(segmentBytes, 1), 0);
    await file.close();
  });
});

describe('a segment', () => {
  it('is one megabyte of zeros, on the disk with its name before it is used', async () => {
    const synced = vi.spyOn(fileHandles, 'sync');
    const file = await createSegment(place());
    expect(synced).toHaveBeenCalledTimes(2);
    await file.close();
    expect(Buffer.alloc(segmentBytes).equals(await readFile(pathOf(place())))).toBe(true);
    expect((await stat(pathOf(place()))).mode & 0o777).toBe(0o600);
  });

  it('is written in full, also where the system takes a part at a time', async () => {
    const file = await createSegment(place());
    const write = fileHandles.write as (...given: unknown[]) => Promise<{ bytesWritten: number }>;
    vi.spyOn(fileHandles, 'write').mockImplementation(function (this: unknown, ...given: unknown[]) {
      const [bytes, from, length, position] = given as [Buffer, number, number, number];
      return write.call(this, bytes, from, Math.min(length, 3), position);
    } as never);
    const frame = encodeFrame('a text', 12);
    await writeThrough(file, frame, 100);
    expect(await readFrames(file, { number: 12, from: 100, until: segmentBytes, most: 9 })).toEqual({
      texts: ['a text'],
      bytes: frame.length,
    });
    await file.close();
  });

  it('gives the longest record, also where one is asked for, and as many short ones as are asked for', async () => {
    const file = await createSegment(place());
    const texts = ['x'.repeat(maxFrameBytes - 8), ...Array.from({ length: 40 }, (_, at) => `short ${at}`)];
    const frames = Buffer.concat(texts.map((text) => encodeFrame(text, 12)));
    await writeThrough(file, frames, 0);
    const read = (from: number, most: number) =>
      readFrames(file, { number: 12, from, until: segmentBytes, most });
    expect(await read(0, 1)).toEqual({ texts: texts.slice(0, 1), bytes: maxFrameBytes });
    expect((await read(maxFrameBytes, 30)).texts).toEqual(texts.slice(1, 31));
    await file.close();
  });

  it('is listed in the order of the numbers, and nothing else is', async () => {
    await mkdir(join(folder(), 'other'));
    for (const name of ['00000010.log', '00000009.log', 'owner', '00000011.log'])
      await writeFile(join(folder(), name), '');
    expect((await listSegments(folder())).map(({ number }) => number)).toEqual([9, 10, 11]);
  });

  it('is treated as deleted when it is missing', async () => {
    await deleteSegment(place());
  });
});
