import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { segmentBytes } from '../../../../src/logs/login-log/spool/segment.ts';
import { openSpool, type Spool, SpoolFull } from '../../../../src/logs/login-log/spool/spool.ts';
import { openLeftBehind } from '../../../../src/logs/login-log/spool/spool-reader.ts';
import { faultOf, fileHandles } from '../file-handles.ts';
import { maySetUpDisks, useSmallDisk } from '../small-disk.ts';
import { useTemporaryFolder } from '../temporary-folder.ts';
import { readAll } from './read-all.ts';

const folder = useTemporaryFolder();
const megabyte = 1024 * 1024;
const least = 8 * megabyte;
/** As large as a record may be: some 130 of them fill a segment. */
const large = (name: string) => name.padEnd(8000, '.');
const names = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

let clock = 0;
let spool: Spool<string>;
const broken: unknown[] = [];
const encoded: string[] = [];
async function open(given: { folder: string; maxBytes?: number }): Promise<void> {
  spool = await openSpool<string>({
    maxBytes: least,
    encode: (item) => {
      if (item === 'unspeakable') throw new Error('It cannot be encoded.');
      encoded.push(item);
      return item;
    },
    onBroken: (cause) => broken.push(cause),
    onAppended: () => {},
    monotonic: () => clock,
    ...given,
  });
}
beforeEach(() => {
  clock = 0;
  broken.length = 0;
  encoded.length = 0;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await spool.close();
});

/** What became of items that were given at once: `kept` ones must be kept. */
async function append(items: readonly string[], isKept: boolean) {
  const results = await Promise.allSettled(items.map((item) => spool.append(item, isKept)));
  return {
    taken: items.filter((_item, index) => results[index]?.status === 'fulfilled'),
    causes: results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : [])),
  };
}
/** Holds the syncs of files until they are let go. */
function holdSyncs() {
  const datasync = fileHandles.datasync;
  const gate = Promise.withResolvers<void>();
  const held = vi.spyOn(fileHandles, 'datasync').mockImplementation(async function (
    this: typeof fileHandles,
  ) {
    await gate.promise;
    await datasync.call(this);
  });
  return { held, letGo: gate.resolve };
}
const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

describe('the spool confirms no item', () => {
  beforeEach(() => open({ folder: folder() }));

  it('before the disk confirms the write', async () => {
    const { held, letGo } = holdSyncs();
    let isTold = false;
    const told = spool.append('a', true).then(() => {
      isTold = true;
    });
    await vi.waitFor(() => expect(held).toHaveBeenCalledTimes(1), 120_000);
    await turns();
    expect(isTold).toBe(false);
    letGo();
    await told;
  });

  it.each(['write', 'datasync'] as const)('where %s fails, and it is not replayed either', async (call) => {
    await append(['a', 'b'], true);
    vi.spyOn(fileHandles, call).mockRejectedValueOnce(faultOf('EIO'));
    const { taken, causes } = await append(['c', 'd'], true);
    expect(taken).toEqual([]);
    expect(causes.map(({ message }) => message)).toEqual(['EIO', 'EIO']);
    expect(broken).toHaveLength(1);
    expect(await readAll(await openLeftBehind(folder()))).toEqual(['a', 'b']);
  });

  it('that cannot be encoded, and none that would be written before it', async () => {
    const { taken } = await append(['a', 'unspeakable', 'b'], true);
    expect(taken).toEqual(['b']);
    expect(broken).toHaveLength(1);
    expect(await readAll(spool)).toEqual(['b']);
  });

  it('after it is closed', async () => {
    await spool.close();
    await expect(spool.append('a', true)).rejects.toThrow('closed');
  });
});

describe('after a failure', () => {
  it('never writes to a segment again, and keeps its records', async () => {
    await open({ folder: folder() });
    await append(['a'], true);
    const before = (await stat(join(folder(), '00000002.log'))).size;
    vi.spyOn(fileHandles, 'datasync').mockRejectedValueOnce(faultOf('EIO'));
    await append(['b'], true);
    const { size: ended } = await stat(join(folder(), '00000002.log'));
    expect({ before, ended }).toEqual({ before: segmentBytes, ended: 8 + 1 });
    expect((await append(['c', 'd'], true)).taken).toEqual(['c', 'd']);
    expect((await stat(join(folder(), '00000002.log'))).size).toBe(ended);
    expect(await readAll(spool)).toEqual(['a', 'c', 'd']);
  });

  it('of every file for a while it takes nothing, and takes items again when they work', async () => {
    await open({ folder: folder() });
    const failing = [
      vi.spyOn(fileHandles, 'write').mockRejectedValue(faultOf('EIO')),
      vi.spyOn(fileHandles, 'sync').mockRejectedValue(faultOf('EIO')),
    ];
    for (let tries = 0; tries < 4; tries += 1) expect((await append(['a', 'b'], true)).taken).toEqual([]);
    for (const spy of failing) spy.mockRestore();
    clock += 250;
    expect((await append(['c'], false)).taken).toEqual(['c']);
    expect(await readAll(spool)).toEqual(['c']);
  });
});

describe('without room', () => {
  async function fill(isKept: boolean) {
    return await append(names(1400).map(large), isKept);
  }

  it('by its setting, failures are refused and successes are not, until the last eighth is full too', async () => {
    await open({ folder: folder() });
    const failures = await fill(false);
    expect(failures.taken.length).toBeGreaterThan(800);
    expect(failures.causes.length).toBeGreaterThan(100);
    for (const cause of failures.causes) expect(cause).toBeInstanceOf(SpoolFull);
    const successes = await fill(true);
    expect(successes.taken.length).toBeGreaterThan(200);
    expect(successes.causes.length).toBeGreaterThan(100);
    expect(await readdir(folder())).toHaveLength(9);
    expect((await append(['late'], false)).causes[0]).toBeInstanceOf(SpoolFull);

    expect(await readAll(spool)).toEqual([...failures.taken, ...successes.taken]);
    clock += 250;
    expect((await append(['again'], false)).taken).toEqual(['again']);
    expect(await readAll(spool)).toEqual(['again']);
  });

  it('a success that comes among failures is written, and they are refused', async () => {
    await open({ folder: folder() });
    await fill(false);
    const results = await Promise.allSettled(
      names(40).map((name, index) => spool.append(name, index % 4 === 0)),
    );
    const taken = results.map(({ status }) => status === 'fulfilled');
    expect(taken).toEqual(names(40).map((_name, index) => index % 4 === 0));
  });

  it('a reserve whose new name may not outlive a power cut is not used, and is made again', async () => {
    await open({ folder: folder() });
    await fill(false);
    // The last eighth, up to where only the file that was kept back is left.
    while ((await readdir(folder())).length < 9) await append([large('success')], true);
    const sync = vi.spyOn(fileHandles, 'sync').mockRejectedValueOnce(faultOf('EIO'));
    const { taken, causes } = await fill(true);
    expect(sync).toHaveBeenCalled();
    expect(causes.length).toBeGreaterThan(1000);
    vi.restoreAllMocks();
    const drained = await readAll(spool);
    expect(drained.slice(-taken.length)).toEqual(taken);
    clock += 250;
    await append(['room again'], false);
    await fill(false);
    expect((await fill(true)).taken.length).toBeGreaterThan(200);
  });

  it('refuses when the current file is full and its folder is missing', async () => {
    await open({ folder: folder() });
    await append(['a'], true);
    const piece = await spool.next(10);
    await rm(folder(), { recursive: true });
    const { taken, causes } = await fill(true);
    expect(taken.length).toBeLessThan(140);
    expect(causes.at(-1)?.cause).toMatchObject({ code: 'ENOENT' });
    await piece?.done();
    expect(await readAll(spool)).toEqual(taken);
  });

  describe.runIf(maySetUpDisks)('on its disk', () => {
    const disk = useSmallDisk(folder, 4);
    afterEach(() => spool.close());

    it('failures are refused, successes are not, and room is used when it returns', async () => {
      await open({ folder: disk().folder, maxBytes: 100 * megabyte });
      const failures = await fill(false);
      expect(failures.causes.length).toBeGreaterThan(0);
      expect(failures.causes[0]?.cause).toMatchObject({ code: 'ENOSPC' });
      const successes = await append(names(100, 'success ').map(large), true);
      expect(successes.causes).toEqual([]);
      expect((await append(['late'], false)).causes).toHaveLength(1);
      expect(await readAll(spool)).toEqual([...failures.taken, ...successes.taken]);
      clock += 250;
      expect((await append(['again'], false)).taken).toEqual(['again']);
    });

    it('the last room is kept back for successes', async () => {
      await open({ folder: disk().folder, maxBytes: 100 * megabyte });
      await fill(false);
      await append(names(100, 'success ').map(large), true);
      // One segment's room returns: it is kept back, and failures get none of it.
      const first = await spool.next(1000);
      await first?.done();
      for (;;) {
        const piece = await spool.next(1000);
        await piece?.done();
        if ((await readdir(disk().folder)).length < 4) break;
      }
      clock += 250;
      expect((await append(names(5), false)).taken).toEqual([]);
      expect((await append(names(100, 'more ').map(large), true)).causes).toEqual([]);
    });

    it('so little from the start that only what is kept back fits, it takes successes', async () => {
      await writeFile(join(disk().folder, 'other'), Buffer.alloc(2.9 * megabyte));
      await open({ folder: disk().folder });
      expect((await append(names(5), false)).causes[0]?.cause).toMatchObject({ code: 'ENOSPC' });
      expect((await append(names(100).map(large), true)).causes).toEqual([]);
    });
  });
});

describe('an appended item', () => {
  beforeEach(() => open({ folder: folder() }));

  it('is written together with others while the disk is busy, in its order', async () => {
    const { held, letGo } = holdSyncs();
    const first = spool.append('first', false);
    await vi.waitFor(() => expect(held).toHaveBeenCalledTimes(1), 120_000);
    const rest = append(names(500), false);
    await turns();
    expect(encoded).toEqual(['first']);
    letGo();
    await first;
    expect((await rest).taken).toHaveLength(500);
    expect(held).toHaveBeenCalledTimes(2);
    expect(await readAll(spool)).toEqual(['first', ...names(500)]);
  });

  it('comes back in its order, from one segment after another, each deleted when it is done', async () => {
    const items = names(500).map(large);
    expect((await append(items, false)).taken).toEqual(items);
    expect(spool.waitingBytes).toBe(500 * 8008);
    expect((await readdir(folder())).length).toBeGreaterThan(3);
    expect(await readAll(spool, 37)).toEqual(items);
    expect(spool.waitingBytes).toBe(0);
    expect((await readdir(folder())).length).toBeLessThanOrEqual(3);
  });

  it('is read after the end of the process, in its order', async () => {
    const items = names(300).map(large);
    await append(items, false);
    await append(names(5, 'kept '), true);
    expect(await readAll(await openLeftBehind(folder()))).toEqual([...items, ...names(5, 'kept ')]);
    expect(await readdir(folder())).toEqual([]);
  });

  it('is returned again until it is marked as done', async () => {
    await append(['a', 'b'], false);
    expect((await spool.next(10))?.texts).toEqual(['a', 'b']);
    expect((await spool.next(1))?.texts).toEqual(['a']);
    await append(['c'], false);
    expect(await readAll(spool)).toEqual(['a', 'b', 'c']);
    expect(await spool.next(10)).toBeUndefined();
  });
});

describe('a file with records of an erased person', () => {
  const files = async () => (await readdir(folder())).filter((name) => name.endsWith('.log'));
  const readFiles = async () =>
    (await Promise.all((await files()).map((name) => readFile(join(folder(), name), 'latin1')))).join('');

  it('stays while a record of it is not stored', async () => {
    await open({ folder: folder() });
    await append(['mei'], true);
    expect(await spool.renew()).toBe(false);
    expect(await readFiles()).toContain('mei');
  });

  it('goes as soon as all of it is stored, though it has room, and later records go elsewhere', async () => {
    await open({ folder: folder() });
    await append(['mei'], true);
    const piece = await spool.next(10);
    await piece?.done();
    expect(await readFiles()).toContain('mei');
    expect(await spool.renew()).toBe(true);
    expect(await spool.next(10)).toBeUndefined();
    expect(await readFiles()).not.toContain('mei');
    await append(['kim'], true);
    expect((await spool.next(10))?.texts).toEqual(['kim']);
  });

  it('is not replaced where nothing was written', async () => {
    await open({ folder: folder() });
    const before = await files();
    expect(await spool.renew()).toBe(true);
    expect(await files()).toEqual(before);
  });
});
