import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { captchaAlphabet, captchaLength } from '../src/alphabet.ts';
import { captchaHeight, captchaWidth, drawCaptcha } from '../src/draw-captcha.ts';
import { placeGlyphs } from '../src/place-glyphs.ts';
import { readChunks, readRows } from './read-png.ts';
import { createSeededRandom } from './seeded-random.ts';

const bytesLimit = 6000;

describe('refuses', () => {
  it.each([
    '',
    'ABCD',
    'ABCDEF',
    'ABC 2',
    'ABCD0',
    'OABCD',
    'AB1CD',
    'ABCDI',
    'abcde',
    'ABCDÉ',
    'ABCD\n',
    'ABC😀',
  ])('the text %j', (text) => {
    expect(() => drawCaptcha(text, createSeededRandom(1))).toThrow(RangeError);
  });

  it('without naming the text in the message', () => {
    expect(() => drawCaptcha('SECRE', () => 0)).not.toThrow();
    expect(() => drawCaptcha('SECR0', () => 0)).toThrow(/^(?!.*SECR)/);
  });
});

describe('a picture', () => {
  // The same in every run: among ever new ones there would some day be one that holds its five letters by chance.
  const random = createSeededRandom(2026);
  const pictures = Array.from({ length: 200 }, () => {
    const draw = () => captchaAlphabet.charAt(Math.floor(random() * captchaAlphabet.length));
    const text = Array.from({ length: captchaLength }, draw).join('');
    return { text, png: drawCaptcha(text, random) };
  });

  it('is a PNG of three sound chunks and no metadata', () => {
    for (const { png } of pictures) {
      expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
      const chunks = readChunks(png);
      expect(chunks.map(({ name }) => name)).toEqual(['IHDR', 'IDAT', 'IEND']);
      for (const { checked, checksum } of chunks) expect(checksum).toBe(crc32(checked));
    }
  });

  it('has every row of its stated size', () => {
    for (const { png } of pictures) {
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([captchaWidth, captchaHeight]);
      expect(readRows(png)).toHaveLength(captchaHeight * (1 + captchaWidth / 2));
    }
  });

  it('can have more paper above and below, with nothing else changed', () => {
    const [plain, wider] = [0, 9].map((margin) => drawCaptcha('ABCDE', createSeededRandom(5), margin));
    expect([wider?.readUInt32BE(16), wider?.readUInt32BE(20)]).toEqual([captchaWidth, captchaHeight + 18]);
    const darkRows = (png: Buffer | undefined, height: number) => {
      const rows = readRows(png ?? Buffer.alloc(0));
      const length = 1 + captchaWidth / 2;
      const isDark = (y: number) =>
        [...rows.subarray(y * length + 1, (y + 1) * length)].filter(
          (pair) => pair >> 4 < 6 && (pair & 15) < 6,
        ).length > 2;
      return Array.from({ length: height }, (_, y) => y).filter(isDark);
    };
    const inside = darkRows(plain, captchaHeight);
    expect(inside.length).toBeGreaterThan(20);
    expect(darkRows(wider, captchaHeight + 18)).toEqual(inside.map((y) => y + 9));
  });

  it('stays small enough for a data URL', () => {
    for (const { png } of pictures) expect(png.length).toBeLessThanOrEqual(bytesLimit);
  });

  it('never contains its answer, packed or unpacked', () => {
    for (const { text, png } of pictures) {
      for (const bytes of [png, readRows(png)]) {
        const content = bytes.toString('latin1').toUpperCase();
        expect(content).not.toContain(text);
        expect(content).not.toContain([...text].reverse().join(''));
      }
    }
  });
});

describe('a machine finds', () => {
  it('no gaps to cut the text at: a line runs through nearly every column', () => {
    const random = createSeededRandom(2026);
    let free = 0;
    for (let count = 0; count < 100; count += 1) {
      const draw = () => captchaAlphabet.charAt(Math.floor(random() * captchaAlphabet.length));
      const levelAt = levelsOf(drawCaptcha(Array.from({ length: captchaLength }, draw).join(''), random));
      for (let x = 4; x < captchaWidth - 4; x += 1) if (lowestInk(levelAt, x) === undefined) free += 1;
    }
    // One or two a picture are scratched out; without the line there are more than twenty.
    expect(free / 100).toBeLessThan(5);
  });

  it.each(['LLLLL', 'EEEEE', '22222'])('no base line: what stands upright in a row, %s, is bent', (text) => {
    // By this number nothing is turned, slanted or lifted: without a warp all five stand on one line.
    const half = () => 0.5;
    const levelAt = levelsOf(drawCaptcha(text, half));
    const feet = placeGlyphs(text, half, captchaWidth, captchaHeight).map((strokes) => {
      const points = strokes.flat();
      const bottom = Math.max(...points.map(({ y }) => y));
      const foot = points.filter(({ y }) => y > bottom - 0.5).map(({ x }) => x);
      return lowestInk(levelAt, Math.round(foot.reduce((sum, x) => sum + x, 0) / foot.length)) ?? 0;
    });
    expect(feet).toHaveLength(5);
    expect(Math.max(...feet) - Math.min(...feet)).toBeGreaterThanOrEqual(4);
  });
});

type LevelAt = (x: number, y: number) => number;

function levelsOf(png: Buffer): LevelAt {
  const rows = readRows(png);
  return (x, y) => ((rows[y * (1 + captchaWidth / 2) + 1 + (x >> 1)] ?? 0) >> (x % 2 === 0 ? 4 : 0)) & 15;
}

/** Two dark pixels upon each other: a speck is one. */
function lowestInk(levelAt: LevelAt, x: number): number | undefined {
  for (let y = captchaHeight - 1; y > 0; y -= 1) if (levelAt(x, y) <= 7 && levelAt(x, y - 1) <= 7) return y;
  return undefined;
}

describe('randomness', () => {
  it('decides the bytes: the same sequence gives the same picture', () => {
    const draw = () => drawCaptcha('K7RXW', createSeededRandom(42));
    expect(draw().equals(draw())).toBe(true);
  });

  it('makes every picture of one text another one', () => {
    const drawn = Array.from({ length: 200 }, (_, seed) => drawCaptcha('K7RXW', createSeededRandom(seed)));
    expect(new Set(drawn.map((png) => png.toString('base64'))).size).toBe(200);
  });

  it.each([0, 0.5, 1 - 2 ** -32])('may stand still at %d', (value) => {
    expect(drawCaptcha('WWWWW', () => value).length).toBeLessThanOrEqual(bytesLimit);
  });
});

it('draws each symbol differently from the same random numbers', () => {
  const drawn = [...captchaAlphabet].map((symbol) => drawCaptcha(symbol.repeat(5), createSeededRandom(7)));
  expect(new Set(drawn.map((png) => png.toString('base64'))).size).toBe(captchaAlphabet.length);
});
