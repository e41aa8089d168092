#!/usr/bin/env node
// The process.
import packageJson from '../package.json' with { type: 'json' };
import { createProgram } from './cli/program.ts';

await createProgram(packageJson.version).parseAsync();
