#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=50
// The entry point of the process. The garbage collector runs early, so that a flood of refused requests
// does not make memory grow.
import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { startPostgres } from './demo/start-postgres.ts';

keepCompiled();
// Starts the demo's Postgres while the other modules load.
const words = process.argv.slice(2);
const postgres =
  words[0] === 'demo' && !/^(-h|--help)$/m.test(words.join('\n')) ? startPostgres() : undefined;
// The code that awaits it handles the error.
postgres?.catch(() => {});
const { createProgram } = await import('./cli/program.ts');
await (await createProgram(packageJson.version, { words, postgres })).parseAsync();

/**
 * Enables Node's compile cache, so that the next start does not compile again. The cache is beside the code and never
 * in a folder that other users can write to, because its content is executed.
 */
function keepCompiled(): void {
  const folder = fileURLToPath(new URL('../.compiled/', import.meta.url));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // If the folder cannot be written to, every start compiles.
  }
}
