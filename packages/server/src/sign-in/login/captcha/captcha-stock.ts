// Captchas that are made ahead, so that whoever fetches one rarely waits. Where more are fetched than are drawn, a short
// line waits and the rest is told to come again: no crowd can have more drawn than this.

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
  /** As many pictures, in the same order. */
  readonly draw: (answers: readonly string[]) => Promise<readonly Buffer[]>;
  readonly randomBytes: (size: number) => Buffer;
}

/** What is drawn in the time of a few hashes. */
const ahead = 32;
/** Of what is made ahead, so many are asked for together: waking a thread costs as much as a statement. */
const batch = 8;
const longestLine = 16;

export function createCaptchaStock({ draw, randomBytes }: CaptchaStockOptions): CaptchaStock {
  const ready: DrawnCaptcha[] = [];
  const line: PromiseWithResolvers<DrawnCaptcha>[] = [];
  let drawing = 0;

  function give(drawn: DrawnCaptcha): void {
    const first = line.shift();
    if (first === undefined) ready.push(drawn);
    else first.resolve(drawn);
  }

  /** One at a time where somebody waits, and never two at once: what is drawn for nobody yet must not take a processor from the hashes. */
  async function fill(): Promise<void> {
    if (drawing > 0) return;
    drawing += 1;
    try {
      while (line.length > 0 || ready.length <= ahead - batch) {
        const count = line.length > 0 ? 1 : batch;
        const answers = Array.from({ length: count }, () => createAnswer(randomBytes));
        const pictures = await draw(answers);
        for (const [index, picture] of pictures.entries()) give({ answer: answers[index] ?? '', picture });
      }
    } catch (error) {
      // The next one who asks tries again.
      for (const { reject } of line.splice(0)) reject(error);
    } finally {
      drawing -= 1;
    }
  }

  return {
    async take() {
      const drawn = ready.shift();
      if (drawn === undefined && line.length >= longestLine)
        throw new AppError('rate_limited', { retryAfterSeconds: 1 });
      const waiting = Promise.withResolvers<DrawnCaptcha>();
      if (drawn === undefined) line.push(waiting);
      void fill();
      return drawn ?? (await waiting.promise);
    },
  };
}

/** Every symbol stands for equally many bytes. */
export function createAnswer(randomBytes: (size: number) => Buffer): string {
  return Array.from(
    randomBytes(captchaLength),
    (byte) => captchaAlphabet[byte % captchaAlphabet.length],
  ).join('');
}
