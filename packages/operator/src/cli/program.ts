// The command-line program. It imports only the modules of the given command, so that a start of the service does
// not load the other commands.
import { Command } from 'commander';
import type { InnerPostgres } from '../demo/start-postgres.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { helpStyle } from '../terminal/help.ts';
import { endOnInterrupt } from '../terminal/interrupt.ts';

type AddCommand = (program: Command) => void;

/** In the order of the help text. */
const commands: Readonly<Record<string, (postgres?: Promise<InnerPostgres>) => Promise<AddCommand>>> = {
  demo: async (postgres) => {
    const { addDemo } = await import('./commands/demo.ts');
    return (program) => addDemo(program, postgres);
  },
  serve: async () => (await import('./commands/serve.ts')).addServe,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  user: async () => (await import('./commands/user/user.ts')).addUser,
  role: async () => (await import('./commands/role.ts')).addRole,
  rules: async () => (await import('./commands/rules/rules.ts')).addRules,
  provider: async () => (await import('./commands/provider.ts')).addProvider,
  sessions: async () => (await import('./commands/sessions.ts')).addSessions,
  'signing-keys': async () => (await import('./commands/signing-keys.ts')).addSigningKeys,
  'service-keys': async () => (await import('./commands/machines/service-keys.ts')).addServiceKeys,
  login: async () => (await import('./commands/machines/login.ts')).addLogin,
  mail: async () => (await import('./commands/mail/mail.ts')).addMail,
  log: async () => (await import('./commands/log.ts')).addLog,
  webhook: async () => (await import('./commands/webhook/webhook.ts')).addWebhook,
  routes: async () => (await import('./commands/routes.ts')).addRoutes,
  import: async () => (await import('./commands/import.ts')).addImport,
  config: async () => (await import('./commands/config.ts')).addConfig,
  calibrate: async () => (await import('./commands/calibrate/calibrate.ts')).addCalibrate,
  recover: async () => (await import('./commands/recover.ts')).addRecover,
  'self-test': async () => (await import('./commands/self-test/self-test.ts')).addSelfTest,
  completion: async () => (await import('./completion/completion.ts')).addCompletion,
};

interface ProgramOptions {
  /** The command-line arguments. If they name no command, all commands are loaded. */
  readonly words?: readonly string[];
  /** For the demo: a Postgres that was started early. */
  readonly postgres?: Promise<InnerPostgres> | undefined;
}

export async function createProgram(
  version: string,
  { words = [], postgres }: ProgramOptions = {},
): Promise<Command> {
  const program = new Command('portcullis').description('Login and permission service.').version(version);
  program
    .option('--config <file>', 'settings file (default: portcullis.yaml where it exists)')
    .option('--json', 'print the result as JSON')
    .configureHelp(helpStyle)
    .showHelpAfterError('Add --help to see how it is used.')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage))
    .addHelpText('after', '  $ portcullis demo');
  endInOrder(program);
  const adding = namesAmong(words).map((name) => commands[name]?.(postgres));
  for (const add of await Promise.all(adding)) add?.(program);
  return program;
}

/**
 * Loads every command that appears among the arguments, because the value of an option can equal a command's name.
 * Completion needs all commands.
 */
function namesAmong(words: readonly string[]): string[] {
  const named = Object.keys(commands).filter((name) => words.includes(name));
  return named.length === 0 || named.includes('completion') ? Object.keys(commands) : named;
}

/** While a command runs, Ctrl-C prints the state of the work before the process exits. */
function endInOrder(program: Command): void {
  let stop = () => {};
  program
    .hook('preAction', () => {
      if (!process.stdout.listeners('error').includes(endWithReader))
        process.stdout.on('error', endWithReader);
      stop = endOnInterrupt();
    })
    .hook('postAction', () => stop());
}

/** A reader that closes the pipe early (`| head`) is not an error. */
function endWithReader({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(exitCodes.done);
}
