// Builds the published dist/ folder; `npm pack` runs it. Every file that the sources read at run time is in one folder
// there, next to every file that could read it.
import { execFileSync } from 'node:child_process';
import { cp, glob, rm, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { copyTypes, emitTypes } from './write-types.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const run = (command: string, ...given: readonly string[]) =>
  execFileSync(command, given, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

await rm(dist, { recursive: true, force: true });
if (!(await isConsoleBuilt())) run('npm', 'run', 'console');
await bundle(root, dist);
await cp(`${root}packages/console/dist`, `${dist}console`, { recursive: true });
await cp(`${root}packages/server/src/cluster/store/migrations`, `${dist}migrations`, { recursive: true });
await cp(`${root}LICENSE`, `${dist}LICENSE`);
run(process.execPath, 'packages/operator/src/demo/write-postgres-data.ts', `${dist}postgres-data.tar.zst`);
const types = await emitTypes(root);
await copyTypes(types, `${dist}types/`, ['server/src/index.d.ts', 'contract/src/index.d.ts']);
await rm(types, { recursive: true, force: true });

/** Whether the built files of the console are newer than its sources. */
async function isConsoleBuilt(): Promise<boolean> {
  const timeOf = async (file: string) => (await stat(file)).mtimeMs;
  const builtAt = await timeOf(`${root}packages/console/dist/index.html`).catch(() => 0);
  for await (const file of glob(`${root}packages/{console/{src,public},client/src,contract/src}/**/*.*`))
    if ((await timeOf(file)) > builtAt) return false;
  return builtAt > 0;
}
