// Reads captchas with tesseract, as drawn and after the usual clean-up, and fails where it solves more than
// two in a hundred. A control of plain symbols shows that the reader itself works.
// Run: npm run captcha-ocr, or at full size npm run captcha-ocr -- --full

import { execFile, execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import { captchaAlphabet, captchaLength } from '../../packages/captcha/src/alphabet.ts';
import { captchaHeight, captchaWidth, drawCaptcha } from '../../packages/captcha/src/draw-captcha.ts';
import { flattenPath } from '../../packages/captcha/src/flatten-path.ts';
import { glyphPaths } from '../../packages/captcha/src/glyph-paths.ts';
import { Ink } from '../../packages/captcha/src/ink.ts';

const solvedShareLimit = 0.02;
const smallCount = 100;
const fullCount = 1000;
const controlShareLeast = 0.4;
const batchSize = 50;
/** M and W are drawn round, so the reader may take them for small letters. */
const whitelist = `${captchaAlphabet}mw`;
/** Tesseract's "one line of text" and "one word". */
const pageModes = [7, 8] as const;
type PageMode = (typeof pageModes)[number];

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Grey from 0, black, to 255, row by row. */
  readonly grey: Uint8Array;
}

interface Variant {
  readonly name: string;
  readonly prepare: (text: string) => { readonly extension: string; readonly file: Buffer };
  readonly passes: (solvedShare: number) => boolean;
}

const captchaVariants: Readonly<Record<string, (drawn: Picture) => Picture>> = {
  enlarged: (drawn) => enlarge(drawn, 3),
  thresholded: (drawn) => threshold(drawn),
  cleaned: (drawn) => enlarge(threshold(median(drawn)), 3),
  opened: (drawn) => enlarge(open(threshold(median(drawn)), 1.5), 3),
  'opened finely': (drawn) => open(threshold(enlarge(median(drawn), 2)), 3),
  smoothed: (drawn) => threshold(enlarge(median(drawn), 3)),
};

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { full: { type: 'boolean', default: false } } });
  const count = values.full ? fullCount : smallCount;
  requireTesseract();
  const folder = mkdtempSync(join(tmpdir(), 'captcha-ocr-'));
  try {
    const failed = await attack(folder, count);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function requireTesseract(): void {
  try {
    execFileSync('tesseract', ['--version'], { stdio: 'ignore' });
  } catch {
    process.stderr.write('tesseract is not installed: apt-get install tesseract-ocr\n');
    process.exit(2);
  }
}

async function attack(folder: string, count: number): Promise<number> {
  const texts = Array.from({ length: count }, randomText);
  let passed = 0;
  let failed = 0;
  for (const variant of variantsFor(texts)) {
    const solved = await countSolved(folder, texts, variant);
    for (const pageMode of pageModes) {
      const share = solved[pageMode] / count;
      const hasPassed = variant.passes(share);
      const verdict = hasPassed ? 'ok  ' : 'FAIL';
      say(`${verdict} ${variant.name}, psm ${pageMode}: ${solved[pageMode]} of ${count}, ${percent(share)}`);
      if (hasPassed) passed += 1;
      else failed += 1;
    }
  }
  say(`${passed} passed, ${failed} failed`);
  return failed;
}

/** At full size the limit itself. A small one has room for chance, three standard deviations of it. */
function limitFor(count: number): number {
  if (count >= fullCount) return solvedShareLimit;
  return solvedShareLimit + 3 * Math.sqrt((solvedShareLimit * (1 - solvedShareLimit)) / count);
}

/** Each captcha is drawn once, so that the variants are compared on the same pictures. */
function variantsFor(texts: readonly string[]): Variant[] {
  const drawn = new Map(texts.map((text) => [text, drawCaptcha(text, random)]));
  const pngOf = (text: string) => drawn.get(text) ?? Buffer.alloc(0);
  const resists = (solvedShare: number) => solvedShare <= limitFor(texts.length);
  return [
    {
      name: 'control: plain symbols',
      prepare: (text) => ({ extension: 'pgm', file: toPgm(enlarge(drawPlain(text), 2)) }),
      passes: (solvedShare) => solvedShare >= controlShareLeast,
    },
    { name: 'raw', prepare: (text) => ({ extension: 'png', file: pngOf(text) }), passes: resists },
    ...Object.entries(captchaVariants).map(([name, clean]) => ({
      name,
      prepare: (text: string) => ({ extension: 'pgm', file: toPgm(clean(decode(pngOf(text)))) }),
      passes: resists,
    })),
  ];
}

async function countSolved(
  folder: string,
  texts: readonly string[],
  variant: Variant,
): Promise<Record<PageMode, number>> {
  const solved = { 7: 0, 8: 0 };
  for (let start = 0; start < texts.length; start += batchSize) {
    const batch = texts.slice(start, start + batchSize);
    const paths = writeBatch(folder, batch.map(variant.prepare));
    for (const pageMode of pageModes) {
      const guesses = await read(paths, pageMode);
      solved[pageMode] += batch.filter((text, i) => guesses[i] === text).length;
    }
    if ((start / batchSize) % 5 === 4)
      say(`     ${variant.name}: ${start + batch.length} of ${texts.length} read`);
  }
  return solved;
}

function writeBatch(folder: string, pictures: readonly { extension: string; file: Buffer }[]): string[] {
  return pictures.map(({ extension, file }, i) => {
    const path = join(folder, `${i}.${extension}`);
    writeFileSync(path, file);
    return path;
  });
}

/** Tesseract 5.3 divides by zero on some pictures: halving the batch finds them, and they count as unsolved. */
async function read(paths: readonly string[], pageMode: PageMode): Promise<string[]> {
  try {
    return await readAtOnce(paths, pageMode);
  } catch (error) {
    if (!(error instanceof Error && 'signal' in error && error.signal === 'SIGFPE')) throw error;
    if (paths.length === 1) {
      say('     tesseract crashed on one picture, which counts as unsolved');
      return [''];
    }
    const half = Math.ceil(paths.length / 2);
    return [...(await read(paths.slice(0, half), pageMode)), ...(await read(paths.slice(half), pageMode))];
  }
}

/** One call reads many pictures: tesseract takes a list of files and parts their pages with form feeds. */
async function readAtOnce(paths: readonly string[], pageMode: PageMode): Promise<string[]> {
  const reading = promisify(execFile)(
    'tesseract',
    [
      'stdin',
      'stdout',
      '--psm',
      `${pageMode}`,
      '-c',
      'stream_filelist=true',
      '-c',
      `tessedit_char_whitelist=${whitelist}`,
    ],
    { env: { ...process.env, OMP_THREAD_LIMIT: '1' }, maxBuffer: 1 << 24 },
  );
  reading.child.stdin?.end(paths.map((path) => `${path}\n`).join(''));
  const pages = (await reading).stdout.split('\f');
  if (pages.length !== paths.length) throw new Error('tesseract did not answer for every picture.');
  return pages.map((page) => page.replace(/\s/g, '').toUpperCase());
}

function randomText(): string {
  return Array.from({ length: captchaLength }, () =>
    captchaAlphabet.charAt(randomInt(captchaAlphabet.length)),
  ).join('');
}

function random(): number {
  return randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
}

function drawPlain(text: string): Picture {
  const ink = new Ink(captchaWidth, captchaHeight);
  [...text].forEach((symbol, at) => {
    for (const stroke of flattenPath(glyphPaths[symbol] ?? '')) {
      const placed = stroke.map(({ x, y }) => ({ x: 14 + at * 36 + x * 2.2, y: 18 + y * 2.4 }));
      placed.slice(1).forEach((to, i) => {
        ink.drawSegment(placed[i] ?? to, to, { radiusStart: 1.8, radiusEnd: 1.8 });
      });
    }
  });
  return picture(captchaWidth, captchaHeight, (i) => 255 * (1 - (ink.coverage[i] ?? 0)));
}

/** Reads what the service's own encoder writes: 4-bit grey, rows without a filter, one IDAT chunk. */
function decode(png: Buffer): Picture {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
  const rowBytes = 1 + Math.ceil(width / 2);
  return picture(width, height, (i) => {
    const x = i % width;
    const byte = rows[Math.floor(i / width) * rowBytes + 1 + (x >> 1)] ?? 0;
    return 17 * (x % 2 === 0 ? byte >> 4 : byte & 15);
  });
}

function picture(width: number, height: number, greyAt: (index: number) => number): Picture {
  const grey = new Uint8Array(width * height);
  for (let i = 0; i < grey.length; i += 1) grey[i] = greyAt(i);
  return { width, height, grey };
}

function toPgm({ width, height, grey }: Picture): Buffer {
  return Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`, 'latin1'), grey]);
}

function pixelAt({ width, height, grey }: Picture, x: number, y: number): number {
  const column = Math.max(0, Math.min(width - 1, x));
  const row = Math.max(0, Math.min(height - 1, y));
  return grey[row * width + column] ?? 0;
}

function median(from: Picture): Picture {
  const around = nearOffsets(1.5);
  return mapPixels(from, (x, y) => {
    const near = Uint8Array.from(around, ({ dx, dy }) => pixelAt(from, x + dx, y + dy));
    return near.sort()[4] ?? 0;
  });
}

/** Takes dark lines away that are thinner than a disc of this radius, and leaves thicker ones as they were. */
function open(from: Picture, radius: number): Picture {
  const disc = nearOffsets(radius);
  const eroded = mapPixels(from, (x, y) => {
    for (const { dx, dy } of disc) if (pixelAt(from, x + dx, y + dy) > 0) return 255;
    return 0;
  });
  return mapPixels(from, (x, y) => {
    for (const { dx, dy } of disc) if (pixelAt(eroded, x + dx, y + dy) === 0) return 0;
    return 255;
  });
}

function nearOffsets(radius: number): { dx: number; dy: number }[] {
  const reach = Math.floor(radius);
  const axis = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
  const square = axis.flatMap((dy) => axis.map((dx) => ({ dx, dy })));
  return square.filter(({ dx, dy }) => Math.hypot(dx, dy) <= radius);
}

function mapPixels({ width, height }: Picture, greyAt: (x: number, y: number) => number): Picture {
  return picture(width, height, (i) => greyAt(i % width, Math.floor(i / width)));
}

/** Otsu's method: the cut that parts the two heaps of grey values best. */
function threshold(from: Picture): Picture {
  const histogram = new Array<number>(256).fill(0);
  for (const grey of from.grey) histogram[grey] = (histogram[grey] ?? 0) + 1;
  const total = histogram.reduce((sum, n, grey) => sum + n * grey, 0);
  let cut = 0;
  let best = -1;
  let darkCount = 0;
  let darkSum = 0;
  histogram.forEach((n, grey) => {
    darkCount += n;
    darkSum += n * grey;
    const lightCount = from.grey.length - darkCount;
    if (darkCount === 0 || lightCount === 0) return;
    const apart = darkSum / darkCount - (total - darkSum) / lightCount;
    const score = darkCount * lightCount * apart * apart;
    if (score > best) [best, cut] = [score, grey];
  });
  return picture(from.width, from.height, (i) => ((from.grey[i] ?? 0) > cut ? 255 : 0));
}

/** Bilinear. */
function enlarge(from: Picture, factor: number): Picture {
  const width = from.width * factor;
  return picture(width, from.height * factor, (i) => {
    const x = ((i % width) + 0.5) / factor - 0.5;
    const y = (Math.floor(i / width) + 0.5) / factor - 0.5;
    const left = Math.floor(x);
    const top = Math.floor(y);
    const upper = mix(pixelAt(from, left, top), pixelAt(from, left + 1, top), x - left);
    const lower = mix(pixelAt(from, left, top + 1), pixelAt(from, left + 1, top + 1), x - left);
    return mix(upper, lower, y - top);
  });
}

function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
