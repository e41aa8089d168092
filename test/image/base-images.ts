// The two images that the Dockerfile begins with, made from Debian's packages and npm's `node`: no registry of images is
// needed. The one that runs is laid out as distroless: Node in /nodejs, no shell, no package manager.
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Buildah, run } from './buildah.ts';

export interface BaseImages {
  readonly build: string;
  readonly run: string;
}

/** What Node is linked to, and what every Debian has. */
const runPackages = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'tzdata'];
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export async function makeBaseImages(buildah: Buildah): Promise<BaseImages> {
  const root = join(buildah.folder, 'build');
  const { codename, mirror } = await findDebian();
  await run('debootstrap', ['--variant=minbase', codename, root, mirror]);
  const packages = ['node@24', 'npm@11'];
  await run('npm', ['install', '--global', '--prefix', join(root, 'usr/local'), '--silent', ...packages]);
  const small = await makeRunRoot(root, join(buildah.folder, 'run'));
  await rm(join(root, 'var/cache/apt/archives'), { recursive: true });
  return { build: await commit(buildah, root), run: await commit(buildah, small) };
}

/** As this machine's own packages come: what apt is configured with. */
async function findDebian(): Promise<{ codename: string; mirror: string }> {
  const codename = (await run('sh', ['-c', '. /etc/os-release && echo "$VERSION_CODENAME"'])).trim();
  const format = '$(REPO_URI) $(RELEASE)';
  const targets = await run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const line = targets.split('\n').find((one) => one.endsWith(` ${codename}`));
  if (line === undefined) throw new Error(`apt has no source for ${codename}.`);
  return { codename, mirror: line.split(' ')[0] ?? '' };
}

async function makeRunRoot(buildRoot: string, root: string): Promise<string> {
  const archives = join(buildRoot, 'var/cache/apt/archives');
  const files = await readdir(archives);
  const status = join(root, 'var/lib/dpkg/status.d');
  await mkdir(root);
  for (const name of runPackages) {
    const file = files.find((one) => one.startsWith(`${name}_`));
    if (file === undefined) throw new Error(`debootstrap left no ${name}.`);
    await run('dpkg-deb', ['--extract', join(archives, file), root]);
    await mkdir(status, { recursive: true });
    await writeFile(join(status, name), await run('dpkg-deb', ['--field', join(archives, file)]));
  }
  await mkdir(join(root, 'nodejs/bin'), { recursive: true });
  const node = join(buildRoot, 'usr/local/lib/node_modules/node/bin/node');
  await copyFile(node, join(root, 'nodejs/bin/node'));
  return root;
}

async function commit(buildah: Buildah, root: string): Promise<string> {
  const image = `localhost/${basename(root)}`;
  const file = `${root}.Dockerfile`;
  await writeFile(file, `FROM scratch\nCOPY . /\nENV PATH=${searchPath}\n`);
  await buildah.run('build', '--isolation', 'chroot', '--file', file, '--tag', image, root);
  await rm(root, { recursive: true });
  return image;
}
