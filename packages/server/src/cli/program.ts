// The command line.
import { Command } from 'commander';
import { addKeys } from './keys.ts';
import { addLog } from './log.ts';
import { addMigrate } from './migrate.ts';
import { addRecover } from './recover.ts';
import { addServe } from './serve.ts';

export function createProgram(version: string): Command {
  const program = new Command('portcullis').description('Login and permission service.').version(version);
  program.option('--config <file>', 'settings file (default: portcullis.yaml where it exists)');
  addServe(program);
  addMigrate(program);
  addKeys(program);
  addRecover(program);
  addLog(program);
  return program;
}
