// `portcullis serve`
import type { Command } from 'commander';
import { serve } from '../serve.ts';
import { addExamples } from './help.ts';

export function addServe(program: Command): void {
  const command = program
    .command('serve')
    .description('Run the service until it is told to stop.')
    .action(() => serve({ settingsFile: command.optsWithGlobals<{ config?: string }>().config }));
  addExamples(command, 'portcullis serve --config /etc/portcullis/portcullis.yaml');
}
