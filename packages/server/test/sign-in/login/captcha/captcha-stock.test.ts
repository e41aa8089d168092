import { randomBytes } from 'node:crypto';
import { captchaAlphabet } from '@portcullis/captcha';
import { describe, expect, it } from 'vitest';
import { createCaptchaStock } from '../../../../src/sign-in/login/captcha/captcha-stock.ts';

const settle = () => new Promise(setImmediate);

/** Draws when the test says so; the answer is the picture. */
function createWorld() {
  const asked: { answers: readonly string[]; end: (error?: Error) => void }[] = [];
  const stock = createCaptchaStock({
    draw: (answers) => {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>();
      const pictures = answers.map((answer) => Buffer.from(answer));
      asked.push({ answers, end: (error) => (error === undefined ? resolve(pictures) : reject(error)) });
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
  const listAnswers = () => asked.flatMap(({ answers }) => answers);
  return { stock, asked, draw, listAnswers };
}

describe('the stock of captchas', () => {
  it('draws nothing before the first is asked for', () => {
    expect(createWorld().asked).toEqual([]);
  });

  it('refuses a request when the queue is full, and draws no more for it', async () => {
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

  it('serves the queue in its order, each with a different captcha, one drawing at a time', async () => {
    const { stock, asked, draw, listAnswers } = createWorld();
    const line = Array.from({ length: 16 }, () => stock.take());
    await draw(16);
    const taken = await Promise.all(line);
    expect(asked.slice(0, 16).every(({ answers }) => answers.length === 1)).toBe(true);
    expect(taken.map(({ answer }) => answer)).toEqual(listAnswers().slice(0, 16));
    for (const { answer, picture } of taken) {
      expect(picture.toString()).toBe(answer);
      expect([...answer].every((symbol) => captchaAlphabet.includes(symbol))).toBe(true);
    }
  });

  it('makes 32 ahead, eight at a time, gives each out once, and makes up for them', async () => {
    const { stock, asked, draw, listAnswers } = createWorld();
    const first = stock.take();
    await draw(10);
    expect(asked.map(({ answers }) => answers.length)).toEqual([1, 8, 8, 8, 8]);
    const taken = [await first, ...(await Promise.all(Array.from({ length: 32 }, () => stock.take())))];
    expect(taken.map(({ answer }) => answer)).toEqual(listAnswers().slice(0, 33));
    expect(asked).toHaveLength(6);
    await draw(10);
    expect(listAnswers()).toHaveLength(65);
  });

  it('draws none where fewer than eight are missing', async () => {
    const { stock, asked, draw } = createWorld();
    void stock.take();
    await draw(10);
    await Promise.all(Array.from({ length: 7 }, () => stock.take()));
    expect(asked).toHaveLength(5);
    await stock.take();
    expect(asked).toHaveLength(6);
  });

  it('refuses the waiting requests when drawing fails, and tries again for the next', async () => {
    const { stock, asked, draw } = createWorld();
    const waiting = stock.take();
    asked[0]?.end(new Error('The thread has ended.'));
    await expect(waiting).rejects.toThrow('The thread has ended.');
    const next = stock.take();
    await draw(1);
    expect([(await next).answer]).toEqual(asked[1]?.answers);
  });
});
