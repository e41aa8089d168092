// `portcullis serve`: runs the service.

import { serve } from '@portcullis/server/serve.ts';
import type { Command } from 'commander';
import { addExamples } from '../../terminal/help.ts';

export function addServe(program: Command): void {
  const command = program
    .command('serve')
    .description('Run the service until it is stopped.')
    .action(() => serve({ settingsFile: command.optsWithGlobals<{ config?: string }>().config }));
  addExamples(command, 'portcullis serve --config /etc/portcullis/portcullis.yaml');
}
