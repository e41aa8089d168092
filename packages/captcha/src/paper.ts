// Renders ink on paper as grey levels: the paper has a light gradient with slow waves, fine grain and a few specks. A single
// threshold of grey must not separate the ink.

import type { Ink } from './ink.ts';

const whitest = 15;
const lightest = 14.5;

/** Each entry of the result is a pixel from 0, black, to 15, white. A scratch removes ink. */
export function printOnPaper(ink: Ink, scratches: Ink, random: () => number): Uint8Array {
  const columns = createShading(ink.width, random);
  const rows = createShading(ink.height, random);
  const grain = createGrain(ink.coverage.length, random);
  const inkLevel = 2 + 2.5 * random();
  const levels = new Uint8Array(ink.coverage.length);
  for (let i = 0; i < levels.length; i += 1) {
    const x = i % ink.width;
    const paper = lightest - (columns[x] ?? 0) - (rows[(i - x) / ink.width] ?? 0);
    const covered = (ink.coverage[i] ?? 0) * (1 - (scratches.coverage[i] ?? 0));
    const level = paper + (inkLevel - paper) * covered + (grain[i] ?? 0);
    levels[i] = level < 0 ? 0 : level > whitest ? whitest : level + 0.5;
  }
  return levels;
}

/** How much darker than the lightest paper each position along an axis is. */
function createShading(length: number, random: () => number): Float32Array {
  const slope = random() * 2.4 - 1.2;
  const phase = 2 * Math.PI * random();
  const step = 0.05 + 0.1 * random();
  return Float32Array.from({ length }, (_, at) => {
    const gradient = slope * (at / length) + Math.max(0, -slope);
    return gradient + 0.4 * (1 + Math.sin(at * step + phase));
  });
}

/** A xorshift generator is enough here: an attacker gains nothing by predicting the grain. */
function createGrain(length: number, random: () => number): Float32Array {
  const grain = new Float32Array(length);
  let state = Math.floor(random() * 0x7fffffff) + 1;
  for (let i = 0; i < length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const value = (state >>> 0) / 0x100000000;
    grain[i] = value < 0.012 ? -7 : value > 0.988 ? 7 : (value - 0.5) * 1.2;
  }
  return grain;
}
