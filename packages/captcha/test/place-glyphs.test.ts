import { describe, expect, it } from 'vitest';
import { captchaAlphabet } from '../src/alphabet.ts';
import { flattenPath } from '../src/flatten-path.ts';
import { glyphPaths } from '../src/glyph-paths.ts';
import { Ink } from '../src/ink.ts';
import { placeGlyphs } from '../src/place-glyphs.ts';
import { createSeededRandom } from './seeded-random.ts';

it('refuses a symbol without a shape', () => {
  expect(() => placeGlyphs('AB0DE', createSeededRandom(1), 220, 70)).toThrow(RangeError);
});

describe.each(['WWWWW', 'MMMMM', 'LLLLL', '23456'])('%s', (text) => {
  it('stands within the picture, in the order of its symbols', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const symbols = placeGlyphs(text, createSeededRandom(seed), 220, 70).map((strokes) => strokes.flat());
      const points = symbols.flat();
      expect(Math.min(...points.map(({ x }) => x))).toBeGreaterThanOrEqual(7.99);
      expect(Math.max(...points.map(({ x }) => x))).toBeLessThanOrEqual(212.01);
      expect(Math.min(...points.map(({ y }) => y))).toBeGreaterThan(-1);
      expect(Math.max(...points.map(({ y }) => y))).toBeLessThan(71);
      const starts = symbols.map((symbol) => Math.min(...symbol.map(({ x }) => x)));
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    }
  });
});

it('gives every pair of symbols shapes a reader can tell apart', () => {
  const drawn = [...captchaAlphabet].map(drawAlone);
  drawn.forEach((one, i) => {
    for (const other of drawn.slice(i + 1)) expect(differingShare(one, other)).toBeGreaterThan(0.25);
  });
});

function drawAlone(symbol: string): Ink {
  const ink = new Ink(50, 50);
  for (const stroke of flattenPath(glyphPaths[symbol] ?? '')) {
    const placed = stroke.map(({ x, y }) => ({ x: 5 + x * 2.8, y: 5 + y * 2.8 }));
    placed.slice(1).forEach((to, i) => {
      ink.drawSegment(placed[i] ?? to, to, { radiusStart: 2, radiusEnd: 2 });
    });
  }
  return ink;
}

/** The ink the two do not share, measured by the ink of the fainter one. */
function differingShare(one: Ink, other: Ink): number {
  const apart = one.coverage.reduce(
    (sum, covered, i) => sum + Math.abs(covered - (other.coverage[i] ?? 0)),
    0,
  );
  const inkOf = ({ coverage }: Ink) => coverage.reduce((sum, covered) => sum + covered, 0);
  return apart / Math.min(inkOf(one), inkOf(other));
}
