// `portcullis doctor`: runs the health checks of settings, host, Postgres and logs, and prints what
// to do. It changes nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { examineProcessConfig, findSettingsFile } from '@portcullis/server/base/settings/config.ts';
import { openStore, type Store } from '@portcullis/server/cluster/store/store.ts';
import type { Command } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { accessChecks } from '../../doctor/access-checks.ts';
import type { CheckInput } from '../../doctor/check.ts';
import { directoryChecks } from '../../doctor/directory-checks.ts';
import { readServerFacts, type ServerFacts } from '../../doctor/doctor-store.ts';
import { examine } from '../../doctor/examine.ts';
import { factorChecks } from '../../doctor/factor-checks.ts';
import { hostChecks } from '../../doctor/host-checks.ts';
import { loginLogChecks } from '../../doctor/login-log-checks.ts';
import { mailChecks } from '../../doctor/mail-checks.ts';
import { postgresChecks } from '../../doctor/postgres-checks.ts';
import { count, drawScreen } from '../../doctor/screen.ts';
import { settingsChecks } from '../../doctor/settings-checks.ts';
import { webhookChecks } from '../../doctor/webhook-checks.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf } from '../../terminal/output.ts';

const checks = [
  ...settingsChecks,
  ...hostChecks,
  ...postgresChecks,
  ...accessChecks,
  ...factorChecks,
  ...directoryChecks,
  ...mailChecks,
  ...loginLogChecks,
  ...webhookChecks,
];
const connections = 3;
const closeMilliseconds = 1000;

export function addDoctor(program: Command): void {
  const doctor = program
    .command('doctor')
    .description(
      'Look at settings, host, Postgres and logs; say what to do. Changes nothing; exits with 1 if something is wrong.',
    )
    .option('--strict', 'exit with 1 for a warning too')
    .option('--all', 'show what was found also where it is well and the terminal is small')
    .action(async ({ strict = false, all = false }: { strict?: boolean; all?: boolean }) => {
      const { config } = doctor.optsWithGlobals<{ config?: string }>();
      const input = createCheckInput(findSettingsFile(config));
      const results = await examine(input, checks);
      await closeStore(input.store);
      const sums = count(results);
      outputOf(doctor).show({ ...sums, checks: results }, () =>
        drawScreen(results, {
          columns: process.stdout.columns || 80,
          rows: all ? undefined : process.stdout.rows,
        }),
      );
      if (sums.wrong > 0 || (strict && sums.warning > 0)) process.exitCode = exitCodes.refused;
    });
  addExamples(doctor, 'portcullis doctor', 'portcullis doctor --strict --json');
}

/** Closes the connections, but waits only for a limited time: a connection that hangs must not delay the result. */
async function closeStore(store: Store): Promise<void> {
  const ending = new AbortController();
  await Promise.race([store.destroy(), sleep(closeMilliseconds, undefined, { signal: ending.signal })]);
  ending.abort();
}

function createCheckInput(settingsFile: string | undefined): CheckInput {
  const examination = examineProcessConfig(settingsFile);
  const store = openStore({
    ...examination.config.database,
    poolSize: connections,
    // Nothing to do: a lost connection also fails the statement that runs on it.
    onConnectionLost: () => {},
  });
  let facts: Promise<ServerFacts> | undefined;
  return {
    ...examination,
    settingsFile,
    version: manifest.version,
    store,
    readServer: () => {
      facts ??= readServerFacts(store);
      return facts;
    },
  };
}
