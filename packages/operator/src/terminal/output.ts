// The output of commands: text for people, or with --json one JSON value for programs. Only results go to stdout;
// progress, questions and errors go to stderr.
import { styleText } from 'node:util';
import type { Command } from 'commander';

export interface Output {
  readonly json: boolean;
  /** Prints the result of a command: the value as JSON, or the text. */
  show(value: unknown, text: string | (() => string)): void;
}

/** @example outputOf(command).show(items, () => table(['Id', 'Name'], rows)); */
export function outputOf(command: Command): Output {
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
  return {
    json,
    show(value, text) {
      const shown = typeof text === 'string' ? text : json ? '' : text();
      process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${shown.replace(/\n$/, '')}\n`);
    },
  };
}

export type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

/** Without colour if the stream is no terminal or NO_COLOR is set. */
export function paint(colour: Colour, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(colour, text, { stream });
}

/**
 * A table with left-aligned columns. It removes control characters of stored texts, so that they
 * never reach the terminal.
 */
export function table(
  heads: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const texts = [heads, ...rows].map((row) => row.map((cell) => plain(String(cell ?? '-'))));
  const widths = heads.map((_, column) =>
    texts.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0),
  );
  const lines = texts.map((row) => row.map((cell, column) => padTo(cell, widths[column] ?? 0)).join('  '));
  const [first = '', ...others] = lines.map((line) => line.trimEnd());
  return [paint('dim', first), ...others].join('\n');
}

const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}/gu;

/** The width in terminal columns; Chinese characters take two. */
function widthOf(text: string): number {
  const letters = text.replace(/\p{M}/gu, '');
  return [...letters].length + (letters.match(wide)?.length ?? 0);
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** One object, with a line for each of its fields. */
export function fields(lines: Readonly<Record<string, string | number | null>>): string {
  const width = Math.max(...Object.keys(lines).map(({ length }) => length));
  return Object.entries(lines)
    .map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${plain(String(value ?? '-'))}`)
    .join('\n');
}

/** @example shortMoment('2026-11-15T19:49:18.123Z') // 2026-11-15 19:49:18Z */
export function shortMoment(moment: string | null): string | null {
  return moment === null ? null : `${moment.slice(0, 10)} ${moment.slice(11, 19)}Z`;
}

export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
