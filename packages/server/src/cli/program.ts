// The command line.
import { Command } from 'commander';
import { addMigrate } from './migrate.ts';
import { addServe } from './serve.ts';

export function createProgram(version: string): Command {
  const program = new Command('portcullis').description('Login and permission service.').version(version);
  program.option('--config <file>', 'settings file (default: portcullis.yaml where it exists)');
  addServe(program);
  addMigrate(program);
  return program;
}
