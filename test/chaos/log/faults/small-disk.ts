// A disk of a few megabytes that a test may fill. It is memory of the kernel, mounted; only root may do that.
import { execFile } from 'node:child_process';
import { chown, mkdtemp, open, rm, rmdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves so many bytes free. */
  fill(freeBytes: number): Promise<void>;
  clear(): Promise<void>;
  unmount(): Promise<void>;
}

const run = promisify(execFile);
const megabyte = 1024 * 1024;

export async function mountSmallDisk(
  megabytes: number,
  owner?: { uid: number; gid: number },
): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'chaos', folder]);
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  const filler = join(folder, 'filler');
  return {
    folder,
    async fill(freeBytes) {
      const { bavail, bsize } = await statfs(folder);
      const file = await open(filler, 'a');
      try {
        for (let left = bavail * bsize - freeBytes; left > 0; left -= megabyte)
          await file.write(Buffer.alloc(Math.min(left, megabyte)));
      } finally {
        await file.close();
      }
    },
    clear: () => rm(filler, { force: true }),
    async unmount() {
      await run('umount', ['-l', folder]);
      await rmdir(folder);
    },
  };
}
