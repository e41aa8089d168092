// The image of the real Dockerfile. npm's configuration and the certificates that it trusts are this machine's own: they are mounted
// while it is built, and in no image.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { repository } from '../rig/start-process.ts';
import type { BaseImages } from './base-images.ts';
import { type Buildah, run } from './buildah.ts';

export interface Image {
  readonly name: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** As a shell would not see it: program and words. */
  readonly healthCheck: readonly string[];
  readonly volumes: readonly string[];
}

interface Inspected {
  readonly Docker: {
    readonly config: {
      readonly User: string;
      readonly Entrypoint: string[];
      readonly Cmd: string[];
      readonly Healthcheck: { readonly Test: string[] };
      readonly Volumes: Record<string, unknown>;
    };
  };
}

export async function buildImage(buildah: Buildah, bases: BaseImages): Promise<Image> {
  const name = 'localhost/portcullis';
  const dockerfile = join(repository, 'deploy/docker/Dockerfile');
  await buildah.run(
    ...['build', '--isolation', 'chroot', '--pull=never', '--tag', name],
    // The other format has no health check.
    ...['--format', 'docker'],
    ...['--file', dockerfile, '--ignorefile', `${dockerfile}.dockerignore`],
    ...['--build-arg', `BUILD_IMAGE=${bases.build}`, '--build-arg', `RUN_IMAGE=${bases.run}`],
    ...(await mountNpmConfiguration(buildah.folder)),
    repository,
  );
  const { Docker } = JSON.parse(await buildah.run('inspect', '--type', 'image', name)) as Inspected;
  const { User, Entrypoint, Cmd, Healthcheck, Volumes } = Docker.config;
  return {
    name,
    user: User,
    entrypoint: Entrypoint,
    command: Cmd,
    healthCheck: Healthcheck.Test.slice(1),
    volumes: Object.keys(Volumes),
  };
}

async function mountNpmConfiguration(folder: string): Promise<string[]> {
  const get = async (key: string) => (await run('npm', ['config', 'get', key])).trim();
  const readAll = async (...keys: string[]) =>
    await Promise.all(keys.map(async (key) => await readFile(await get(key), 'utf8').catch(() => '')));
  const certificates = [...getCACertificates('default'), ...(await readAll('cafile'))];
  await writeFile(join(folder, 'certificates'), certificates.join('\n'));
  const lines = [`registry=${await get('registry')}`, 'cafile=/root/certificates', ''];
  const texts = [...(await readAll('globalconfig', 'userconfig')), ...lines];
  await writeFile(join(folder, 'npmrc'), texts.join('\n'), { mode: 0o600 });
  const mount = (file: string, place: string) => ['--volume', `${join(folder, file)}:${place}:ro`];
  return [...mount('npmrc', '/root/.npmrc'), ...mount('certificates', '/root/certificates')];
}
