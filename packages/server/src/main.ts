#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=50
// The process. Its heap is collected early: in a flood, memory must not grow with what is refused.
import packageJson from '../package.json' with { type: 'json' };
import { createProgram } from './cli/program.ts';

await createProgram(packageJson.version).parseAsync();
