// Stock of captchas that are drawn ahead, so that a request rarely waits. If the stock is empty, a short queue waits and further
// requests are refused: a flood of requests cannot have more captchas drawn than this.

import { captchaAlphabet, captchaLength } from '@portcullis/captcha';
import { AppError } from '@portcullis/contract';

export interface DrawnCaptcha {
  readonly answer: string;
  readonly picture: Buffer;
}

export interface CaptchaStock {
  take(): Promise<DrawnCaptcha>;
}

interface CaptchaStockOptions {
  /** Returns one picture per answer, in the same order. */
  readonly draw: (answers: readonly string[]) => Promise<readonly Buffer[]>;
  readonly randomBytes: (size: number) => Buffer;
}

/** Drawing this many takes about as long as a few password hashes. */
const ahead = 32;
/** How many captchas are drawn ahead per request to the thread: waking a thread costs as much as a statement. */
const batch = 8;
const longestQueue = 16;

export function createCaptchaStock({ draw, randomBytes }: CaptchaStockOptions): CaptchaStock {
  const ready: DrawnCaptcha[] = [];
  const queue: PromiseWithResolvers<DrawnCaptcha>[] = [];
  let drawing = 0;

  function give(drawn: DrawnCaptcha): void {
    const first = queue.shift();
    if (first === undefined) ready.push(drawn);
    else first.resolve(drawn);
  }

  /**
   * Draws one captcha at a time while a request waits, and never runs twice at once: drawing ahead must not take a processor
   * from the password hashes.
   */
  async function fill(): Promise<void> {
    if (drawing > 0) return;
    drawing += 1;
    try {
      while (queue.length > 0 || ready.length <= ahead - batch) {
        const count = queue.length > 0 ? 1 : batch;
        const answers = Array.from({ length: count }, () => createAnswer(randomBytes));
        const pictures = await draw(answers);
        for (const [index, picture] of pictures.entries()) give({ answer: answers[index] ?? '', picture });
      }
    } catch (error) {
      // The next request tries again.
      for (const { reject } of queue.splice(0)) reject(error);
    } finally {
      drawing -= 1;
    }
  }

  return {
    async take() {
      const drawn = ready.shift();
      if (drawn === undefined && queue.length >= longestQueue)
        throw new AppError('rate_limited', { retryAfterSeconds: 1 });
      const waiting = Promise.withResolvers<DrawnCaptcha>();
      if (drawn === undefined) queue.push(waiting);
      void fill();
      return drawn ?? (await waiting.promise);
    },
  };
}

/** Each of the 32 symbols comes from equally many byte values. */
export function createAnswer(randomBytes: (size: number) => Buffer): string {
  return Array.from(
    randomBytes(captchaLength),
    (byte) => captchaAlphabet[byte % captchaAlphabet.length],
  ).join('');
}
