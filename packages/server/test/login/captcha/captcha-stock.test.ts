import { randomBytes } from 'node:crypto';
import { captchaAlphabet } from '@portcullis/captcha';
import { describe, expect, it } from 'vitest';
import { createCaptchaStock } from '../../../src/login/captcha/captcha-stock.ts';

const settle = () => new Promise(setImmediate);

/** Draws when it is told to; the answer is the picture. */
function createWorld() {
  const asked: { answer: string; end: (error?: Error) => void }[] = [];
  const stock = createCaptchaStock({
    draw: (answer) => {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      asked.push({
        answer,
        end: (error) => (error === undefined ? resolve(Buffer.from(answer)) : reject(error)),
      });
      return promise;
    },
    randomBytes,
  });
  async function draw(count: number): Promise<void> {
    for (let drawn = 0; drawn < count; drawn += 1) {
      asked.at(-1)?.end();
      await settle();
    }
  }
  return { stock, asked, draw };
}

describe('the stock of captchas', () => {
  it('draws nothing before the first is asked for', () => {
    expect(createWorld().asked).toEqual([]);
  });

  it('sheds whoever comes when the line is full, and draws no more for it', async () => {
    const { stock, asked } = createWorld();
    const line = Array.from({ length: 16 }, () => stock.take());
    const refusals: unknown[] = [];
    for (let count = 0; count < 400; count += 1) stock.take().catch((error) => refusals.push(error));
    await settle();
    expect(refusals).toHaveLength(400);
    expect(refusals[0]).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 1 });
    expect(asked).toHaveLength(1);
    expect(line).toHaveLength(16);
  });

  it('serves the line in its order, each with a picture of its own answer, one drawing at a time', async () => {
    const { stock, asked, draw } = createWorld();
    const line = Array.from({ length: 16 }, () => stock.take());
    await draw(16);
    const taken = await Promise.all(line);
    expect(taken.map(({ answer }) => answer)).toEqual(asked.slice(0, 16).map(({ answer }) => answer));
    for (const { answer, picture } of taken) {
      expect(picture.toString()).toBe(answer);
      expect([...answer].every((symbol) => captchaAlphabet.includes(symbol))).toBe(true);
    }
  });

  it('makes 32 ahead, gives each out once, and makes up for them', async () => {
    const { stock, asked, draw } = createWorld();
    const first = stock.take();
    await draw(33);
    expect(asked).toHaveLength(33);
    const taken = [await first, ...(await Promise.all(Array.from({ length: 32 }, () => stock.take())))];
    expect(taken.map(({ answer }) => answer)).toEqual(asked.slice(0, 33).map(({ answer }) => answer));
    expect(asked).toHaveLength(34);
    await draw(32);
    expect(asked).toHaveLength(65);
  });

  it('that cannot be drawn refuses who waits, and tries again for the next', async () => {
    const { stock, asked, draw } = createWorld();
    const waiting = stock.take();
    asked[0]?.end(new Error('The thread has ended.'));
    await expect(waiting).rejects.toThrow('The thread has ended.');
    const next = stock.take();
    await draw(1);
    expect((await next).answer).toBe(asked[1]?.answer);
  });
});
