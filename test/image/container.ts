// A container of the image as it is to be run: with a read-only root, and one folder that outlives it.
import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RigProcess, startProgram } from '../rig/start-process.ts';
import type { Image } from './build-image.ts';
import { type Buildah, run } from './buildah.ts';

export interface Container {
  /** Its files, as this machine sees them. */
  readonly root: string;
  /** What is mounted at the image's volume. */
  readonly volume: string;
  /** Any program in it, as the image's user. */
  start(words: readonly string[], environment: Readonly<Record<string, string>>): RigProcess;
  remove(): Promise<void>;
}

export async function createContainer(buildah: Buildah, image: Image): Promise<Container> {
  const [place = ''] = image.volumes;
  const [user = 0, group = 0] = image.user.split(':').map(Number);
  const name = (await buildah.run('from', '--pull=never', image.name)).trim();
  const root = (await buildah.run('mount', name)).trim();
  const volume = join(buildah.folder, `volume-of-${name}`);
  await mkdir(volume);
  await chown(volume, user, group);
  // Files that every engine mounts: with a read-only root they have to be there.
  for (const file of ['hostname', 'hosts', 'resolv.conf']) await run('touch', [join(root, 'etc', file)]);
  await run('mount', ['--bind', root, root]);
  await run('mount', ['-o', 'remount,bind,ro', root]);
  // Buildah itself writes a file into this one, and removes it. It is root's.
  await run('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', join(root, 'run')]);
  return {
    root,
    volume,
    start(words, environment) {
      const settings = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      const mounted = ['--volume', `${volume}:${place}`];
      const given = ['run', '--isolation', 'chroot', ...mounted, ...settings, name, '--', ...words];
      return startProgram('buildah', buildah.words(...given));
    },
    async remove() {
      await run('umount', ['--recursive', root]);
      await buildah.run('rm', name);
      await rm(volume, { recursive: true });
    },
  };
}
