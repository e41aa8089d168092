// Layout of the symbols: the size, slant, rotation and height of each symbol, and its distance to the previous one. The five
// symbols together always fit between the margins.

import { flattenPath, type Point, type Stroke } from './flatten-path.ts';
import { glyphPaths } from './glyph-paths.ts';

interface Pose {
  readonly strokes: readonly Stroke[];
  readonly left: number;
  readonly width: number;
  /** Pixels between this symbol and the one before it; below zero they overlap. */
  readonly gap: number;
}

const glyphMiddle: Point = { x: 5, y: 7 };
const margin = 8;
const widestStretch = 1.3;

const glyphs: ReadonlyMap<string, readonly Stroke[]> = new Map(
  Object.entries(glyphPaths).map(([symbol, path]) => [symbol, flattenPath(path)]),
);

export function placeGlyphs(text: string, random: () => number, width: number, height: number): Stroke[][] {
  const poses = [...text].map((symbol) => poseGlyph(symbol, random));
  const room = width - 2 * margin;
  const wanted = poses.reduce((total, { width, gap }) => total + width + gap, 0);
  const stretch = Math.min(widestStretch, (room / wanted) * between(0.92, 1, random));
  let end = margin + random() * (room - wanted * stretch);
  return poses.map((pose) => {
    const start = end + pose.gap * stretch;
    end = start + pose.width * stretch;
    return pose.strokes.map((stroke) =>
      stroke.map(({ x, y }) => ({ x: start + (x - pose.left) * stretch, y: height / 2 + y })),
    );
  });
}

function poseGlyph(symbol: string, random: () => number): Pose {
  const glyph = glyphs.get(symbol);
  if (glyph === undefined) throw new RangeError('A captcha holds symbols of its alphabet only.');
  const scale = between(2.7, 3.25, random);
  const rotation = between(-0.24, 0.24, random);
  const slant = between(-0.12, 0.12, random);
  const lift = between(-8, 8, random);
  const gap = between(1, 6.5, random);
  const strokes = glyph.map((stroke) =>
    stroke.map((point) => {
      const y = (point.y - glyphMiddle.y) * scale;
      const x = (point.x - glyphMiddle.x) * scale - y * slant;
      return {
        x: x * Math.cos(rotation) - y * Math.sin(rotation),
        y: x * Math.sin(rotation) + y * Math.cos(rotation) + lift,
      };
    }),
  );
  const xs = strokes.flat().map(({ x }) => x);
  const left = Math.min(...xs);
  return { strokes, left, width: Math.max(...xs) - left, gap };
}

function between(least: number, most: number, random: () => number): number {
  return least + (most - least) * random();
}
