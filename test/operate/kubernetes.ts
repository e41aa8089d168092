// Judges manifests by the schemas of Kubernetes, twice: by their values, and by their types, which also refuse a field
// that does not exist; the API server would drop it without a word.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository } from '../rig/start-process.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

export function readManifests(): Manifest[] {
  return globSync('deploy/kubernetes/*.yaml', { cwd: repository }).flatMap((file) =>
    parseAllDocuments(readFileSync(join(repository, file), 'utf8')).map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS() as Manifest;
    }),
  );
}

/** Throws where a value is not what its field wants. */
export async function checkValues(manifest: Manifest): Promise<void> {
  const models = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Record<
    string,
    new (
      given: Manifest,
    ) => { validate(): void }
  >;
  const Model = models[manifest.kind];
  if (Model === undefined) throw new Error(`${manifest.apiVersion} has no kind ${manifest.kind}.`);
  new Model(manifest).validate();
}

/** Throws with what the compiler says. */
export async function checkTypes(manifests: readonly Manifest[]): Promise<void> {
  // Below node_modules, so that the types are found and no other build compiles it.
  const folder = await mkdtemp(join(repository, 'node_modules/.portcullis-operate-'));
  const file = join(folder, 'manifests.ts');
  const declarations = manifests.map(
    (manifest, index) =>
      `import type { I${manifest.kind} as Kind${index} } from 'kubernetes-models/${manifest.apiVersion}';
export const manifest${index}: Kind${index} = ${JSON.stringify(manifest, undefined, 2)};
`,
  );
  try {
    await writeFile(file, declarations.join(''));
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    execFileSync(join(repository, 'node_modules/.bin/tsc'), [...options, file], { stdio: 'pipe' });
  } catch (error) {
    throw new Error(String((error as { stdout?: Buffer }).stdout ?? error));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
