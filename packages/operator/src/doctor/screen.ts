// Formats the results of `portcullis doctor`: one line per check, and below it how to fix a problem.
import { type Colour, paint, plain } from '../terminal/output.ts';
import { groups, type Status } from './check.ts';
import type { Result } from './examine.ts';

const signs: Readonly<Record<Status, { readonly sign: string; readonly colour: Colour }>> = {
  well: { sign: '✔', colour: 'green' },
  warning: { sign: '!', colour: 'yellow' },
  wrong: { sign: '✖', colour: 'red' },
  skipped: { sign: '-', colour: 'dim' },
};
const margin = 1 + Math.max(...groups.map((group) => group.length)) + 2;
const titleWidth = 19;
const mostColumns = 110;

interface Size {
  readonly columns: number;
  /** The height of the terminal; undefined for a file. */
  readonly rows?: number | undefined;
}

/** If the screen is higher than the terminal, successful checks show only their names. */
export function drawScreen(
  results: readonly Result[],
  { columns, rows = Number.POSITIVE_INFINITY }: Size,
): string {
  const width = Math.min(columns, mostColumns);
  const screen = draw(fold(results), width, results);
  // `>=`, because the prompt needs a line too.
  const isTooHigh = screen.split('\n').length >= rows;
  if (!isTooHigh) return screen;
  return `${draw(fold(results.map(withoutText)), width, results)} ${paint('dim', '(--all shows all that was found)')}`;
}

function withoutText(result: Result): Result {
  return result.status === 'well' ? { ...result, text: '' } : result;
}

function draw(shown: readonly Result[], width: number, all: readonly Result[]): string {
  const lines = shown.map((result, index) =>
    drawResult(result, width, shown[index - 1]?.group !== result.group),
  );
  return [...lines, '', ` ${describeSum(all)}`].join('\n');
}

function drawResult(result: Result, width: number, isFirst: boolean): string {
  const { status, group, title, text, remedies } = result;
  const { sign, colour } = signs[status];
  const name = isFirst ? paint('bold', group) : '';
  const begin = ` ${name}${' '.repeat(margin - 1 - (isFirst ? group.length : 0))}${paint(colour, sign)} `;
  const indent = ' '.repeat(margin + 2);
  const painted = (line: string) => (status === 'well' ? line : paint(colour, line));
  const wrapped = (line: string, taken: number) => wrap(plain(line), width - indent.length - taken);
  const isFolded = title.length > titleWidth;
  const texts = isFolded
    ? wrapped(`${title} ${text}`.trim(), 0).map(painted)
    : text
        .split('\n')
        .flatMap((line) => wrapped(line, titleWidth))
        .map((line, index) => `${(index === 0 ? title : '').padEnd(titleWidth)}${painted(line)}`);
  const toDo = remedies.flatMap((remedy) =>
    wrapped(remedy, 2).map((line, index) => `${index === 0 ? '→' : ' '} ${line}`),
  );
  return [...texts, ...toDo]
    .map((line, index) => `${index === 0 ? begin : indent}${line}`.trimEnd())
    .join('\n');
}

/** Results of one group with the same text share a line: skipped for the same reason, or successful without text. */
function fold(results: readonly Result[]): Result[] {
  const shown: Result[] = [];
  for (const result of results) {
    const { group, status, text } = result;
    const isFoldable = status === 'skipped' || text === '';
    const at = shown.findIndex((one) => one.group === group && one.status === status && one.text === text);
    const first = shown[at];
    if (isFoldable && first !== undefined) shown[at] = { ...first, title: `${first.title}, ${result.title}` };
    else shown.push(result);
  }
  return shown;
}

/** Wraps a text at the width. A word that is longer than the width gets its own line. */
function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

export function count(results: readonly Result[]): Record<Status, number> {
  const sums = { well: 0, warning: 0, wrong: 0, skipped: 0 };
  for (const { status } of results) sums[status] += 1;
  return sums;
}

function describeSum(results: readonly Result[]): string {
  const { well, warning, wrong, skipped } = count(results);
  const parts = [
    paint('green', `${well} well`),
    ...(warning === 0 ? [] : [paint('yellow', `${warning} to look at`)]),
    ...(wrong === 0 ? [] : [paint('red', `${wrong} wrong`)]),
    ...(skipped === 0 ? [] : [paint('dim', `${skipped} skipped`)]),
  ];
  return `${parts.join(', ')}.`;
}
