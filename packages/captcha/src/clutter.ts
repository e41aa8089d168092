// Clutter lines against OCR. A person reads the text despite the lines, but a program cannot segment the text into symbols
// any more.

import type { Point, Stroke } from './flatten-path.ts';

/** Wavy lines across the whole picture, through the middle of the symbols and not their tops. */
export function crossingLines(random: () => number, width: number, height: number, count: number): Stroke[] {
  return Array.from({ length: count }, () => {
    const start = height * (0.35 + 0.3 * random());
    const end = height * (0.35 + 0.3 * random());
    const swing = height * (0.12 + 0.12 * random()) * (random() < 0.5 ? -1 : 1);
    const turns = Math.PI * (2.6 + 1.6 * random());
    const phase = 2 * Math.PI * random();
    return curve(40, (share) => ({
      x: width * share,
      y: start + (end - start) * share + swing * Math.sin(turns * share + phase),
    }));
  });
}

/** Short arcs, curved like parts of a symbol. */
export function looseArcs(random: () => number, width: number, height: number, count: number): Stroke[] {
  return Array.from({ length: count }, () => {
    const centre = { x: width * (0.06 + 0.88 * random()), y: height * (0.12 + 0.76 * random()) };
    const radius = 6 + 6 * random();
    const from = 2 * Math.PI * random();
    const sweep = 0.4 + 0.5 * random();
    return curve(6, (share) => ({
      x: centre.x + radius * Math.cos(from + sweep * share),
      y: centre.y + radius * Math.sin(from + sweep * share),
    }));
  });
}

function curve(steps: number, at: (share: number) => Point): Stroke {
  return Array.from({ length: steps + 1 }, (_, i) => at(i / steps));
}
