// Raster of the drawn strokes: the share of each pixel that a pen has covered, from 0 to 1, with soft edges (antialiasing).
// Overlapping strokes do not darken each other, so a crossing does not show which of the two is the symbol.

import type { Point } from './flatten-path.ts';

interface Pen {
  readonly radiusStart: number;
  readonly radiusEnd: number;
}

export class Ink {
  readonly width: number;
  readonly height: number;
  readonly coverage: Float32Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.coverage = new Float32Array(width * height);
  }

  /** The same ink with this number of extra rows above and below. */
  withMargin(rows: number): Ink {
    const larger = new Ink(this.width, this.height + 2 * rows);
    larger.coverage.set(this.coverage, rows * this.width);
    return larger;
  }

  /** Draws a line between two points, with round ends and a radius that changes from start to end. */
  drawSegment(from: Point, to: Point, pen: Pen): void {
    const reach = Math.max(pen.radiusStart, pen.radiusEnd) + 0.5;
    const left = Math.max(0, Math.ceil(Math.min(from.x, to.x) - reach));
    const right = Math.min(this.width - 1, Math.floor(Math.max(from.x, to.x) + reach));
    const top = Math.max(0, Math.ceil(Math.min(from.y, to.y) - reach));
    const bottom = Math.min(this.height - 1, Math.floor(Math.max(from.y, to.y) + reach));
    const dx = to.x - from.x;
    const dy = to.y - from.y;
    const lengthSquared = dx * dx + dy * dy || 1;
    for (let y = top; y <= bottom; y += 1) {
      for (let x = left; x <= right; x += 1) {
        const along = ((x - from.x) * dx + (y - from.y) * dy) / lengthSquared;
        const share = Math.max(0, Math.min(1, along));
        const offsetX = x - from.x - dx * share;
        const offsetY = y - from.y - dy * share;
        const distanceSquared = offsetX * offsetX + offsetY * offsetY;
        if (distanceSquared > reach * reach) continue;
        const radius = pen.radiusStart + (pen.radiusEnd - pen.radiusStart) * share;
        this.#cover(y * this.width + x, radius + 0.5 - Math.sqrt(distanceSquared));
      }
    }
  }

  #cover(index: number, covered: number): void {
    if (covered > (this.coverage[index] ?? 0)) this.coverage[index] = Math.min(1, covered);
  }
}
