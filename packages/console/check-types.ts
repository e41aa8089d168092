// Type check of the console: vue-tsc patches the compiler of TypeScript 6, which only this package has; all other
// packages are checked with version 7.
import { createRequire } from 'node:module';
import { run } from 'vue-tsc';

run(createRequire(import.meta.url).resolve('typescript/lib/tsc'));
