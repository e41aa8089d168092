// Where the project is at home is written in many places: packages, documents and templates agree on it.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';

interface Manifest {
  readonly workspaces: readonly string[];
  readonly homepage?: string;
  readonly bugs?: string;
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string };
}

const address = 'https://github.com/portcullis/portcullis';
const root = readManifest('package.json');
const members = root.workspaces.flatMap((folders) => globSync(`${folders}/package.json`)).sort();

it.each(['package.json', ...members])('%s names the address of the project, and its folder there', (file) => {
  const { homepage, bugs, repository } = readManifest(file);
  const folder = dirname(file);
  expect({ homepage, bugs, repository }).toEqual({
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
    repository: {
      type: 'git',
      url: `git+${address}.git`,
      ...(folder === '.' ? {} : { directory: folder }),
    },
  });
});

it('no file names another address', () => {
  const { stdout } = spawnSync('git', ['grep', '-IhoE', 'github\\.com/portcullis[^/ ]*/[A-Za-z0-9_-]+'], {
    encoding: 'utf8',
  });
  const named = new Set(stdout.split('\n').filter((line) => line !== ''));
  expect(named).toEqual(new Set(['github.com/portcullis/portcullis']));
});

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
