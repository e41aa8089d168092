// Draws the picture of a captcha (PNG): symbols as bent pen strokes among lines of the same kind, on uneven paper. The text must
// not appear anywhere but in the pixels, and every random choice comes from `random`.

import { captchaAlphabet, captchaLength } from './alphabet.ts';
import { crossingLines, looseArcs } from './clutter.ts';
import { encodePng } from './encode-png.ts';
import type { Stroke } from './flatten-path.ts';
import { Ink } from './ink.ts';
import { printOnPaper } from './paper.ts';
import { placeGlyphs } from './place-glyphs.ts';
import { createWarp } from './warp.ts';

export const captchaWidth = 220;
export const captchaHeight = 70;

/**
 * Some symbols are as thin as the clutter, so a filter that removes thin lines removes symbols too. With a radius of 2 or more
 * for every symbol, such a filter let tesseract solve 3 in 100.
 */
const symbolRadius = { least: 1.4, spread: 1 };
const clutterRadius = { least: 1.2, spread: 0.35 };
const scratchRadius = 0.4;

/**
 * `random` returns numbers from 0 (included) to 1 (excluded); use a cryptographic source. `margin` is the number of extra rows of
 * paper above and below, for a page that crops the picture to another shape.
 */
export function drawCaptcha(text: string, random: () => number, margin = 0): Buffer {
  requireCaptchaText(text);
  const ink = drawInk(text, random).withMargin(margin);
  const scratches = drawScratches(random).withMargin(margin);
  return encodePng(ink.width, ink.height, printOnPaper(ink, scratches, random));
}

function requireCaptchaText(text: string): void {
  const known = [...text].every((symbol) => captchaAlphabet.includes(symbol));
  if (text.length !== captchaLength || !known) {
    throw new RangeError(`A captcha holds ${captchaLength} symbols of its alphabet.`);
  }
}

function drawInk(text: string, random: () => number): Ink {
  const ink = new Ink(captchaWidth, captchaHeight);
  const warp = createWarp(random);
  const symbols = placeGlyphs(text, random, captchaWidth, captchaHeight);
  const clutter = [
    ...crossingLines(random, captchaWidth, captchaHeight, 1),
    ...looseArcs(random, captchaWidth, captchaHeight, 1),
  ];
  for (const symbol of symbols) {
    const radius = symbolRadius.least + symbolRadius.spread * random();
    for (const stroke of symbol) drawStroke(ink, stroke.map(warp), radius, random);
  }
  for (const stroke of clutter) {
    drawStroke(ink, stroke.map(warp), clutterRadius.least + clutterRadius.spread * random(), random);
  }
  return ink;
}

/** Fine lines that erase ink where they cross strokes, of symbols and clutter alike. */
function drawScratches(random: () => number): Ink {
  const ink = new Ink(captchaWidth, captchaHeight);
  for (const stroke of crossingLines(random, captchaWidth, captchaHeight, 2)) {
    drawStroke(ink, stroke, scratchRadius, random);
  }
  return ink;
}

/** The pressure of the pen varies, so no stroke has one thickness. */
function drawStroke(ink: Ink, stroke: Stroke, radius: number, random: () => number): void {
  const phase = 2 * Math.PI * random();
  const radiusAt = (i: number) => radius * (1 + 0.22 * Math.sin(i * 0.45 + phase));
  stroke.slice(1).forEach((to, i) => {
    const from = stroke[i] ?? to;
    ink.drawSegment(from, to, { radiusStart: radiusAt(i), radiusEnd: radiusAt(i + 1) });
  });
}
