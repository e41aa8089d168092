#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=50
// The process. Its heap is collected early: in a flood, memory must not grow with what is refused.
import packageJson from '../package.json' with { type: 'json' };
import { startPostgres } from './demo/start-postgres.ts';

// The demo's Postgres starts while everything else is still being loaded.
const words = process.argv.slice(2);
const postgres =
  words[0] === 'demo' && !/^(-h|--help)$/m.test(words.join('\n')) ? startPostgres() : undefined;
// Whoever waits for it is told.
postgres?.catch(() => {});
const { createProgram } = await import('./cli/program.ts');
await (await createProgram(packageJson.version, { words, postgres })).parseAsync();
