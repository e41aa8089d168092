import { expect, it } from 'vitest';
import { holdBack } from '../../src/logs/hold-back.ts';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));

it('moves nothing that is shown: what is newer waits, also where it belongs between', () => {
  const shown = rows('f', 'd', 'b');
  expect(holdBack(shown, rows('g', 'f', 'e', 'd', 'b'))).toEqual({ shown, held: rows('g', 'e') });
});

it('lets in what is older than all of it: a page that was asked for', () => {
  expect(holdBack(rows('f', 'd'), rows('g', 'f', 'd', 'b', 'a'))).toEqual({
    shown: rows('f', 'd', 'b', 'a'),
    held: rows('g'),
  });
});

it('keeps what is shown where the list has lost it', () => {
  expect(holdBack(rows('b', 'a'), rows('z', 'y'))).toEqual({ shown: rows('b', 'a'), held: rows('z', 'y') });
});

it('holds nothing back where nothing is shown', () => {
  expect(holdBack([], rows('b', 'a'))).toEqual({ shown: rows('b', 'a'), held: [] });
});
