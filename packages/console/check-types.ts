// vue-tsc patches the compiler of TypeScript 6, which this package has; the others are checked with version 7.
import { createRequire } from 'node:module';
import { run } from 'vue-tsc';

run(createRequire(import.meta.url).resolve('typescript/lib/tsc'));
