#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=50
// The process. Its heap is collected early: in a flood, memory must not grow with what is refused.
import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { startPostgres } from './demo/start-postgres.ts';

keepCompiled();
// The demo's Postgres starts while everything else is still being loaded.
const words = process.argv.slice(2);
const postgres =
  words[0] === 'demo' && !/^(-h|--help)$/m.test(words.join('\n')) ? startPostgres() : undefined;
// Whoever waits for it is told.
postgres?.catch(() => {});
const { createProgram } = await import('./cli/program.ts');
await (await createProgram(packageJson.version, { words, postgres })).parseAsync();

/** The next start finds compiled what this one loaded. It lies beside the code, and never where others may write: what lies there is run. */
function keepCompiled(): void {
  const folder = fileURLToPath(new URL('../.compiled/', import.meta.url));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // Where the code cannot be written to, every start compiles it.
  }
}
