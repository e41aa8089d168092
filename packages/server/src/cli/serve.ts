// `portcullis serve`
import type { Command } from 'commander';
import { serve } from '../serve.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Run the service until it is told to stop.')
    .action(() => serve({ settingsFile: program.opts<{ config?: string }>().config }));
}
