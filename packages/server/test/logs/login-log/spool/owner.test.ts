import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createOwnedFolder,
  listFolders,
  spoolRoot,
  takeOver,
} from '../../../../src/logs/login-log/spool/owner.ts';
import { useTemporaryFolder } from '../temporary-folder.ts';

const folder = useTemporaryFolder();
const root = () => join(folder(), 'root');

const owners: ChildProcess[] = [];
afterEach(() => {
  for (const owner of owners.splice(0)) owner.kill('SIGKILL');
});

/** A process that owns a folder until it is killed. */
async function startOwner() {
  const module = fileURLToPath(new URL('../../../../src/logs/login-log/spool/owner.ts', import.meta.url));
  const script = `
    const { createOwnedFolder } = await import(${JSON.stringify(module)});
    console.log((await createOwnedFolder(${JSON.stringify(root())})).folder);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  owners.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const exited = once(child, 'exit');
  return {
    folder: String(line).trim(),
    signal: (name: NodeJS.Signals) => child.kill(name),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

describe('a folder is not taken over', () => {
  it('while its owner lives', async () => {
    const owned = await createOwnedFolder(root());
    for (let tries = 0; tries < 3; tries += 1) expect(await takeOver(owned.folder)).toBeUndefined();
    await owned.release();
  });

  it('while its owner lives in another process, also when that is stopped', async () => {
    const owner = await startOwner();
    expect(await takeOver(owner.folder)).toBeUndefined();
    owner.signal('SIGSTOP');
    expect(await takeOver(owner.folder)).toBeUndefined();
    await owner.kill();
  });

  it('while another process owns it', async () => {
    const dead = join(folder(), 'dead');
    await mkdir(dead);
    const taken = await takeOver(dead);
    expect(await takeOver(dead)).toBeUndefined();
    await taken?.release();
  });

  it('when it does not exist, or is not a folder', async () => {
    expect(await takeOver(join(folder(), 'gone'))).toBeUndefined();
    await writeFile(join(folder(), 'file'), '');
    expect(await takeOver(join(folder(), 'file'))).toBeUndefined();
  });
});

describe('a folder is taken over', () => {
  it('after its owner was killed', async () => {
    const owner = await startOwner();
    await owner.kill();
    const taken = await takeOver(owner.folder);
    expect(taken?.folder).toBe(owner.folder);
    await taken?.release();
  });

  it('after it was released, and after that again', async () => {
    const owned = await createOwnedFolder(root());
    await owned.release();
    for (let times = 0; times < 2; times += 1) {
      const taken = await takeOver(owned.folder);
      expect(taken?.folder).toBe(owned.folder);
      await taken?.release();
    }
  });

  it('by at least one of many processes at once, and none fails', async () => {
    for (let round = 0; round < 10; round += 1) {
      const dead = join(folder(), `dead-${round}`);
      await mkdir(dead);
      const all = await Promise.all(Array.from({ length: 8 }, () => takeOver(dead)));
      const takers = all.filter((taken) => taken !== undefined);
      expect(takers.length).toBeGreaterThanOrEqual(1);
      // The first who is done deletes it under the others.
      await rm(dead, { recursive: true, force: true });
      for (const { release } of takers) await release();
    }
  });
});

describe('a new folder of this process', () => {
  it('cannot be made where the path of its socket is too long', async () => {
    await expect(createOwnedFolder(join(folder(), 'x'.repeat(80)))).rejects.toThrow('path is too long');
    expect(await readdir(folder())).toEqual([]);
  });

  it('cannot be made below a file', async () => {
    await writeFile(join(folder(), 'file'), '');
    await expect(createOwnedFolder(join(folder(), 'file', 'root'))).rejects.toMatchObject({
      code: 'ENOTDIR',
    });
  });

  it('is unused, is readable by its owner alone, and is listed only once it is owned', async () => {
    await mkdir(join(root(), '.unfinished'), { recursive: true });
    const all = await Promise.all(Array.from({ length: 5 }, () => createOwnedFolder(root())));
    expect(new Set(all.map((one) => one.folder)).size).toBe(5);
    expect(await listFolders(root())).toEqual(all.map((one) => one.folder).toSorted());
    for (const one of all) {
      expect((await stat(one.folder)).mode & 0o777).toBe(0o700);
      expect(basename(one.folder)).toMatch(/^[0-9a-f]{8}$/);
      expect(await readdir(one.folder)).toEqual(['owner']);
      await one.release();
    }
  });

  it('lies below what names the database', () => {
    expect(spoolRoot('/var/spool', '01234567-89ab-cdef-0123-456789abcdef')).toBe(
      '/var/spool/0123456789abcdef',
    );
  });
});
