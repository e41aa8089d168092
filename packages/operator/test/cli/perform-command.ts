// The command line inside the process of the test: the same program, words, settings and streams, without the start of
// a process, which takes most of a second. What is about the process itself (signals, its reader, Node's options) is
// started by `runCommand`.
import { Readable, Writable } from 'node:stream';
import { createProgram } from '../../src/cli/program.ts';
import { type Ended, masterKey } from './run-command.ts';

interface PerformOptions {
  readonly url: string;
  /** What stands on standard input. */
  readonly input?: string;
  /** Beside what every command is given. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** @example expect(await performCommand(['rules', 'list'], { url: database.url })).toMatchObject({ code: 0 }); */
export async function performCommand(
  words: readonly string[],
  { url, input = '', environment }: PerformOptions,
): Promise<Ended> {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const own = { DATABASE_URL: url, AUTH_MASTER_KEY: masterKey, APPLICATION_MODE: 'dev' };
  return await performAs(words, { input, environment: { ...inherited, ...own, ...environment } });
}

/** With this environment and no other. */
export async function performAs(
  words: readonly string[],
  { input = '', environment }: { input?: string; environment: Readonly<Record<string, string | undefined>> },
): Promise<Ended> {
  let code: number | undefined;
  const isOver = () => code !== undefined;
  const [stdout, stderr] = [collect(isOver), collect(isOver)];
  const listeners = process.listeners('SIGINT');
  const { exitCode } = process;
  process.exitCode = undefined;
  const putBack = replaceInProcess({
    env: { ...environment },
    stdin: Readable.from([input]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    // Where the process would be gone, nothing more is said and the code of the first end counts.
    exit: (given: number) => {
      code ??= given;
      throw new Error('The process has ended.');
    },
  });
  try {
    await (await createProgram('0.0.0', { words })).parseAsync(words, { from: 'user' });
    code ??= Number(process.exitCode ?? 0);
  } catch (error) {
    if (code === undefined) throw error;
  } finally {
    putBack();
    process.exitCode = exitCode;
    for (const listener of process.listeners('SIGINT'))
      if (!listeners.includes(listener)) process.off('SIGINT', listener);
  }
  return { code: code ?? 0, stdout: stdout.text(), stderr: stderr.text() };
}

function collect(isOver: () => boolean) {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(piece: string | Buffer, _encoding, done) {
      if (!isOver()) pieces.push(String(piece));
      done();
    },
  });
  return { stream, text: () => pieces.join('') };
}

function replaceInProcess(stand: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(stand).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  for (const [name, value] of Object.entries(stand))
    Object.defineProperty(process, name, { value, writable: true, enumerable: true, configurable: true });
  return () => {
    for (const [name, descriptor] of before)
      if (descriptor !== undefined) Object.defineProperty(process, name, descriptor);
  };
}
