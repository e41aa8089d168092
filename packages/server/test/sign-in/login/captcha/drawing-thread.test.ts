import { afterAll, expect, it } from 'vitest';
import { createDrawingThread } from '../../../../src/sign-in/login/captcha/drawing-thread.ts';

const thread = createDrawingThread();
afterAll(() => thread.close());

const isPng = (picture: Buffer) => picture.subarray(1, 4).toString() === 'PNG';

it('draws beside the event loop, which goes on meanwhile', async () => {
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);
  const pairs = await Promise.all(Array.from({ length: 50 }, () => thread.draw(['ABCDE', 'FGHJK'])));
  clearInterval(counting);
  const pictures = pairs.flat();
  expect(pictures.every(isPng)).toBe(true);
  expect(new Set(pictures.map((picture) => picture.toString('base64'))).size).toBe(100);
  expect(turns).toBeGreaterThan(0);
});

it('rejects waiting requests when it ends, and starts again for the next', async () => {
  const waiting = expect(thread.draw(['ABCDE', 'no captcha'])).rejects.toThrow();
  await waiting;
  const [picture = Buffer.alloc(0)] = await thread.draw(['ABCDE']);
  expect(isPng(picture)).toBe(true);
});
