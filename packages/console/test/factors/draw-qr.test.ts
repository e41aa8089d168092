import { expect, it } from 'vitest';
import { drawQr } from '../../src/factors/draw-qr.ts';

const { size, path } = drawQr(
  'otpauth://totp/Portcullis:ada?secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567&issuer=Portcullis',
);
const dark = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`));

it('leaves a quiet zone of four units around the code', () => {
  for (let n = 0; n < size; n += 1)
    for (const edge of [0, 3, size - 4, size - 1]) {
      expect(dark.has(`${n} ${edge}`)).toBe(false);
      expect(dark.has(`${edge} ${n}`)).toBe(false);
    }
});

it('has the square that readers look for in three corners', () => {
  for (const [left, top] of [
    [4, 4],
    [size - 11, 4],
    [4, size - 11],
  ] as const) {
    const middle = Array.from({ length: 7 }, (_, x) => dark.has(`${left + x} ${top + 3}`));
    expect(middle).toEqual([true, false, true, true, true, false, true]);
  }
});
