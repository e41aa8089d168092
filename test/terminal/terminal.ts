// A real terminal of 80 columns and 24 lines: a pane of a separate tmux server. What is on its screen is waited for.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pollMilliseconds = 25;
const patienceMilliseconds = 180_000;

export interface Ended {
  readonly code: number;
  /** All that was written, also what has left the screen. */
  readonly text: string;
}

export interface Terminal {
  /** Starts a command of the shell in an empty terminal. */
  start(command: string): Promise<void>;
  /** What is there, without colours; lines that wrapped are joined. */
  read(): Promise<string>;
  /** The same with escape sequences. */
  readColours(): Promise<string>;
  /** How many lines were written, those that wrapped counted as often as they did. */
  countLines(): Promise<{ lines: number; wrapped: number }>;
  /** Until the text is there; throws where the command ends without it. */
  waitFor(pattern: RegExp): Promise<string>;
  type(text: string): Promise<void>;
  /** @example await terminal.press('C-c'); */
  press(key: string): Promise<void>;
  ended(): Promise<Ended>;
}

export interface TerminalServer {
  open(name: string): Promise<Terminal>;
  close(): Promise<void>;
}

/** The environment is all that commands have; what they end with is noted in the folder. */
export function createTerminalServer(
  environment: Readonly<Record<string, string>>,
  folder: string,
): TerminalServer {
  const socket = `portcullis-${process.pid}`;
  const tmux = async (...words: string[]) =>
    (await run('tmux', ['-L', socket, '-f', '/dev/null', ...words], { env: environment })).stdout;
  return {
    async open(name) {
      const size = ['-x', '80', '-y', '24'];
      // The first one starts the server; it ends automatically only after the options say that a pane stays.
      await tmux('new-session', '-d', '-s', name, ...size, 'sleep 600');
      await tmux('set-option', '-g', 'default-terminal', 'tmux-256color');
      await tmux('set-option', '-g', 'remain-on-exit', 'on');
      await tmux('set-option', '-g', 'remain-on-exit-format', '');
      return createTerminal(name, folder, tmux);
    },
    close: async () => void (await tmux('kill-server').catch(() => {})),
  };
}

/** Looks again and again until there is something. */
export async function waitUntil<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + patienceMilliseconds;
  while (performance.now() < end) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(pollMilliseconds);
  }
  throw new Error(`${what} did not come.`);
}

function createTerminal(
  name: string,
  folder: string,
  tmux: (...words: string[]) => Promise<string>,
): Terminal {
  const codeFile = join(folder, `${name}.code`);
  const pane = `${name}:0.0`;
  const capture = (...options: string[]) => tmux('capture-pane', '-p', '-t', pane, '-S', '-', ...options);
  const linesOf = (text: string) => text.replace(/\s+$/, '').split('\n');
  const read = async () => (await capture('-J')).replace(/[ \t]+$/gm, '').replace(/\n+$/, '');

  /** Asks tmux, which takes a process, only where the shell has noted the code: its screen is complete a moment later. */
  async function findEnd(): Promise<number | undefined> {
    if (!existsSync(codeFile)) return undefined;
    const isDead = (await tmux('display-message', '-p', '-t', pane, '#{pane_dead}')).trim() === '1';
    return isDead ? Number(await readFile(codeFile, 'utf8')) : undefined;
  }

  const onScreen = <T>(what: string, look: () => Promise<T | undefined>) =>
    waitUntil(what, look).catch(async (error: Error) => {
      throw new Error(`${error.message} The screen has:\n${await read()}`);
    });

  return {
    read,
    readColours: () => capture('-e'),
    async start(command) {
      // The shell outlives Ctrl-C: tmux itself does not always know what a pane ended with.
      const noted = `trap : INT; ${command}; echo $? > '${codeFile}'`;
      await rm(codeFile, { force: true });
      await tmux('clear-history', '-t', pane, ';', 'respawn-pane', '-k', '-t', pane, noted);
    },
    async countLines() {
      const lines = linesOf(await capture()).length;
      return { lines, wrapped: lines - linesOf(await capture('-J')).length };
    },
    waitFor: (pattern) =>
      onScreen(String(pattern), async () => {
        const code = await findEnd();
        const text = await read();
        if (pattern.test(text)) return text;
        if (code !== undefined) throw new Error(`It ended with ${code} before ${pattern} was there.`);
        return undefined;
      }),
    type: async (text) => void (await tmux('send-keys', '-t', pane, '-l', text)),
    press: async (key) => void (await tmux('send-keys', '-t', pane, key)),
    ended: () =>
      onScreen('The end', async () => {
        const code = await findEnd();
        return code === undefined ? undefined : { code, text: await read() };
      }),
  };
}
