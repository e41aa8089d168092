import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openHostMemory } from '../../src/cluster/host-memory.ts';

let root: string;
let folder: string;
beforeEach(async () => {
  // Patience ends when a test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  root = await mkdtemp(join(tmpdir(), 'host-memory-'));
  folder = join(root, 'history');
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(root, { recursive: true, force: true });
});

const failures: unknown[] = [];
const patienceMilliseconds = 1000;
const open = () =>
  openHostMemory({ folder, patienceMilliseconds, onFailure: (cause) => failures.push(cause) });
const revision = (n: number) => ({ n, mark: randomUUID() });

it('knows nothing at the first start', async () => {
  expect((await open()).known).toEqual([]);
});

it('knows the newest revision by its number, not by its name, and drops the older ones', async () => {
  const memory = await open();
  const nine = revision(9);
  const ten = revision(10);
  await memory.keep(nine);
  expect((await open()).known).toEqual([nine]);
  await memory.keep(ten);
  expect((await open()).known).toEqual([ten]);
  expect(await readdir(folder)).toEqual([`10.${ten.mark}`]);
});

it('a process that knows less drops nothing of one that knows more', async () => {
  const [older, newer] = [revision(4), revision(5)];
  const early = await open();
  await (await open()).keep(newer);
  // Whether it started before or after.
  for (const behind of [early, await open()]) await behind.keep(older);
  expect((await open()).known).toEqual([newer]);
});

it('knows both where two histories met at one number', async () => {
  const memory = await open();
  const [one, other] = [revision(4), revision(4)];
  await memory.keep(one);
  await memory.keep(other);
  const { known } = await open();
  expect(new Set(known.map(({ mark }) => mark))).toEqual(new Set([one.mark, other.mark]));
});

it('refuses a foreign file in its folder, and a path that is not a folder', async () => {
  await open();
  await writeFile(join(folder, 'notes.txt'), '');
  await expect(open()).rejects.toThrow('notes.txt');
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  await expect(open()).rejects.toThrow();
});

it('reports a disk that fails later once, and delays no change', async () => {
  const memory = await open();
  await memory.keep(revision(1));
  await rm(folder, { recursive: true });
  failures.length = 0;
  const three = revision(3);
  await memory.keep(revision(2));
  await memory.keep(three);
  expect(failures).toHaveLength(1);
  // And kept as soon as there is a disk again, by the next report of the same revision.
  await open();
  await memory.keep(three);
  expect((await open()).known).toEqual([three]);
});

/** A pipe without a reader: opening it for writing blocks, as on a disk that does not answer. */
function hang({ n, mark }: ReturnType<typeof revision>): string {
  const pipe = join(folder, `${n}.${mark}`);
  execFileSync('mkfifo', [pipe]);
  return pipe;
}

it('waits for a disk that is slow: nothing is reported that the host does not know', async () => {
  const memory = await open();
  const one = revision(1);
  const pipe = hang(one);
  failures.length = 0;
  let isKept = false;
  const keeping = memory.keep(one).then(() => {
    isKept = true;
  });
  await vi.advanceTimersByTimeAsync(patienceMilliseconds - 1);
  expect(isKept).toBe(false);
  await readFile(pipe);
  await keeping;
  expect(failures).toEqual([]);
});

it('reports a disk that does not answer within the limit, and does not wait for it again', async () => {
  const memory = await open();
  const one = revision(1);
  const pipe = hang(one);
  failures.length = 0;
  const keeping = memory.keep(one);
  await vi.advanceTimersByTimeAsync(patienceMilliseconds);
  await keeping;
  await memory.keep(revision(2));
  expect(failures.map(String)).toEqual(['Error: The disk does not answer.']);
  await readFile(pipe);
});
