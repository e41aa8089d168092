import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../src/base/values/csv.ts';

describe('a cell', () => {
  // biome-ignore format: One row a cell.
  it.each([
    '=1+1', '+1', '-1', '@SUM(A1)', '\tmei', '\rmei', '\nmei', ' =1', '"=1', `'=1`, '" =1', '\u00a0=1', '\ufeff=1',
    '\u200b-1', '＝1', '＋1', '－1', '＠A1', ' ＝1', `=HYPERLINK("http://x","y")`, `-2+3+cmd|' /C calc'!A0`,
  ])('%j is no formula any more', (text) => {
    const [cell] = parse(csvLine([text]))[0] ?? [];
    expect(cell).toBe(`'${text}`);
  });

  // Where the list separator of the system is a semicolon, `x;=1` is two cells.
  it.each([
    [`x;=cmd|'/C calc'!A0`, `x;'=cmd|'/C calc'!A0`],
    ['x;+1;-1', "x;'+1;'-1"],
    ['x; "=1', `x;' "=1`],
    ['x;＝1', "x;'＝1"],
    ['x\t@A1', "x\t'@A1"],
    ['x\r=1', "x\r'=1"],
    ['x\n=1', "x\n'=1"],
    ['\t=1', "'\t'=1"],
    ['  \t+1', "  \t'+1"],
    ['(compatible; bot; +http://x)', "(compatible; bot;' +http://x)"],
  ])('%j has no formula after a character that splits it', (text, escaped) => {
    expect(parse(csvLine([text]))[0]).toEqual([escaped]);
  });

  it.each([
    'mei',
    'a=1',
    'a-b@c',
    'Mozilla/5.0 (X11; Linux x86_64) a=1;b-2',
    '192.0.2.1',
    '::1',
    '2026-01-01T00:00:00.000Z',
    '',
  ])('%j stays as it is', (text) => {
    expect(csvLine([text])).toBe(`${text}\r\n`);
  });

  it.each([
    ['tabs and line breaks', '\t\n'],
    ['marks of byte order', '\ufeff'],
    ['spaces and quotes', ' "'],
  ])(
    'of many %s is escaped in one pass',
    (_what, character) => {
      const blank = character.repeat(200_000);
      const escaped = (end: string) => parse(csvLine([blank + end]))[0]?.[0] ?? '';
      expect(escaped('=1')).toContain("'");
      for (const end of ['=1', 'x']) expect(escaped(end).replaceAll("'", '')).toBe(blank + end);
    },
    20_000,
  );

  it('without a value is empty, and a number is itself', () => {
    expect(csvLine([null, 7, null])).toBe(',7,\r\n');
  });
});

it('cells with separators, quotes and line breaks are read back as they were', () => {
  const cells = ['a,b', 'say "hi"', 'two\r\nlines', '梅', '"'];
  expect(parse(csvLine(cells) + csvLine(cells))).toEqual([cells, cells]);
});

/** By RFC 4180, character by character. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === ',' || (character === '\r' && text[at + 1] === '\n')) {
      row.push(cell);
      cell = '';
      if (character === ',') continue;
      rows.push(row);
      row = [];
      at += 1;
    } else cell += character;
  }
  return rows;
}
