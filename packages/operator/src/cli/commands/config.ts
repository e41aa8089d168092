// `portcullis config`: prints the settings in force with their sources, and the JSON Schema of the settings file.
import {
  createSettingsFileSchema,
  findSettingsFile,
  traceProcessConfig,
} from '@portcullis/server/base/settings/config.ts';
import type { Command } from 'commander';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf, paint, table } from '../../terminal/output.ts';

export function addConfig(program: Command): void {
  const config = program.command('config').description('Settings: what is in force, and what there is.');
  addPrint(config);
  addSchema(config);
}

/** The path from `--config`, or the default file if it exists. */
export function settingsFileOf(command: Command): string | undefined {
  const { config } = command.optsWithGlobals<{ config?: string }>();
  return findSettingsFile(config);
}

function addPrint(config: Command): void {
  const print = config
    .command('print')
    .description('Print every setting in force and where it came from, without secrets.')
    .action(() => {
      const { settings, reasons } = traceProcessConfig(settingsFileOf(print));
      outputOf(print).show({ settings, reasons }, () =>
        table(
          ['Setting', 'From', 'Value'],
          settings.map(({ key, value, origin }) => [key, origin, JSON.stringify(value)]),
        ),
      );
      if (reasons.length === 0) return;
      const title = paint('red', 'Portcullis would not start with these settings:', process.stderr);
      process.stderr.write(`\n${[title, ...reasons.map((reason) => `  - ${reason}`)].join('\n')}\n`);
      process.exitCode = exitCodes.configuration;
    });
  addExamples(
    print,
    'portcullis config print',
    'portcullis config print --config /etc/portcullis.yaml --json',
  );
}

function addSchema(config: Command): void {
  const schema = config
    .command('schema')
    .description('Print the JSON Schema of the settings file, for editors.')
    .action(() => {
      const value = createSettingsFileSchema();
      outputOf(schema).show(value, () => JSON.stringify(value, null, 2));
    });
  addExamples(schema, 'portcullis config schema > portcullis.schema.json');
}
