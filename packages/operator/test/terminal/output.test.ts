// What commands print, and how they end.
import { describe, expect, it } from 'vitest';
import { CommandFailure, exitCodes, exitCodeTable } from '../../src/terminal/exit-codes.ts';
import { fields, shortMoment, table } from '../../src/terminal/output.ts';

describe('a table', () => {
  it('replaces control characters of a stored text', () => {
    expect(table(['Name'], [['\u001b[31mred\u202e\r\nnext']])).toBe('Name\n?[31mred???next');
    expect(fields({ Name: '\u001b]0;title\u0007' })).toBe('Name  ?]0;title?');
  });

  it('keeps its columns where names are Chinese or have marks', () => {
    const rows = [
      ['李雷', 'a'],
      ['Zoe\u0301', 'b'],
      ['🙂', 'c'],
    ];
    expect(table(['Name', 'X'], rows)).toBe('Name  X\n李雷  a\nZoe\u0301   b\n🙂    c');
  });

  it('shows its header without rows, and a dash for a missing value', () => {
    expect(table(['Id', 'Name'], [])).toBe('Id  Name');
    expect(table(['Id', 'Name'], [[1, null]])).toBe('Id  Name\n1   -');
    expect(shortMoment(null)).toBeNull();
  });
});

it('the table of exit codes has every one, with a sentence', () => {
  expect(exitCodeTable.map(({ code }) => code)).toEqual(Object.values(exitCodes));
  for (const { meaning } of exitCodeTable) expect(meaning).toMatch(/^[A-Z].*\.$/);
  expect(new CommandFailure('No.').exitCode).toBe(exitCodes.refused);
});
