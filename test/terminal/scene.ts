// One case: a leaf command that is tried for real, and what it needs for that.
import pg from 'pg';
import { note } from '../rig/notes.ts';
import { expect } from './expect.ts';
import type { Ended, Terminal } from './terminal.ts';
import type { World } from './world.ts';

export interface Scene {
  readonly world: World;
  readonly terminal: Terminal;
  /** Where `serve` runs while the others are tried. */
  readonly service: Terminal;
}

export interface Case {
  /** The leaf command, as it is typed. */
  readonly command: string;
  readonly title: string;
  readonly run: (scene: Scene) => Promise<void>;
}

interface Expected {
  readonly code?: number;
  readonly sees: RegExp;
}

/** Runs to its end; what is said is looked for on the screen. */
export async function see(
  { terminal }: Pick<Scene, 'terminal'>,
  line: string,
  { code = 0, sees }: Expected,
): Promise<string> {
  for (let tries = 3; ; tries -= 1) {
    await terminal.start(`portcullis ${line}`);
    const ended = await terminal.ended();
    // A machine that stands still takes away the seconds for a connection, before anything is done.
    if (tries === 1 || !(ended.code === 69 && noConnection.test(ended.text)))
      return expectEnd(ended, { code, sees });
    note('retried', 'a command that could not connect to Postgres in time', mostRetried);
  }
}

/** In a whole suite. */
const mostRetried = 20;
const noConnection = /timeout exceeded when trying to connect|connection timeout/;

export async function seeEnd(terminal: Terminal, expected: Expected): Promise<string> {
  return expectEnd(await terminal.ended(), expected);
}

function expectEnd(ended: Ended, { code = 0, sees }: Expected): string {
  expect(ended.code === code, `it ended with ${ended.code} and not ${code}:\n${ended.text}`);
  expect(sees.test(ended.text), `${sees} is not in:\n${ended.text}`);
  return ended.text;
}

/** A transaction of another client, with the locks of this query until the result is called. */
export async function hold({ world }: Scene, query: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: world.database.url });
  holder.on('error', () => {});
  await holder.connect();
  await holder.query(`begin; ${query}`);
  return () => holder.end();
}

/** @example simple('role list', 'lists roles', 'role list', { sees: /admin/ }) */
export function simple(command: string, title: string, line: string, expected: Expected): Case {
  return { command, title, run: async (scene) => void (await see(scene, line, expected)) };
}

/** Asks for a confirmation, is given up with Ctrl-C the first time and answered with yes the second. */
export function asks(
  command: string,
  line: string,
  expected: Expected & { readonly question: RegExp; readonly unchanged: (scene: Scene) => Promise<unknown> },
): Case {
  return {
    command,
    title: 'asks; Ctrl-C at the question changes nothing; yes does it',
    async run(scene) {
      const { terminal } = scene;
      const before = JSON.stringify(await expected.unchanged(scene));
      await terminal.start(`portcullis ${line}`);
      await terminal.waitFor(expected.question);
      await terminal.press('C-c');
      await seeEnd(terminal, { code: 130, sees: /Nothing was changed\./ });
      expect(JSON.stringify(await expected.unchanged(scene)) === before, 'Ctrl-C changed something');
      await terminal.start(`portcullis ${line} < /dev/null`);
      await seeEnd(terminal, { code: 64, sees: /--yes/ });
      expect(JSON.stringify(await expected.unchanged(scene)) === before, 'it was done without an answer');
      await terminal.start(`portcullis ${line}`);
      await terminal.waitFor(expected.question);
      await terminal.type('y');
      await seeEnd(terminal, expected);
      expect(JSON.stringify(await expected.unchanged(scene)) !== before, 'yes changed nothing');
    },
  };
}

/** For `unchanged`: what a query finds. */
export const rowsOf =
  (query: string) =>
  ({ world }: Scene) =>
    world.database.query(query);
