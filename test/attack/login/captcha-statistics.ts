// The generator of captchas alone, with a store in memory: which symbol every byte stands for, and the answers of
// captchas that were really issued. An answer is found by asking whether it solves, never by reading code.

import { captchaAlphabet, captchaLength } from '../../../packages/captcha/src/alphabet.ts';
import { createCaptcha } from '../../../packages/server/src/sign-in/login/captcha/captcha.ts';
import { createAnswer } from '../../../packages/server/src/sign-in/login/captcha/captcha-stock.ts';

type Bytes = (size: number) => Buffer;

/** One whose captchas can be tried over and over. */
function createTriable(randomBytes: Bytes) {
  const answers = new Map<string, Buffer>();
  return createCaptcha({
    key: Buffer.alloc(32, 7),
    randomBytes,
    // Without pictures, and none ahead: the bytes that were drawn last are those of this one.
    stock: { take: async () => ({ answer: createAnswer(randomBytes), picture: Buffer.alloc(0) }) },
    store: {
      put: async (id, hmac) => void answers.set(id, hmac),
      take: async (id) => answers.get(id),
      sweep: async () => {},
    },
  });
}

/** The symbol that a captcha made of this byte alone shows. */
export async function symbolOf(byte: number): Promise<string> {
  const captcha = createTriable((size) => Buffer.alloc(size, byte));
  const { id } = await captcha.issue();
  const solving: string[] = [];
  for (const symbol of captchaAlphabet)
    if (await captcha.isSolvedBy(id, symbol.repeat(captchaLength))) solving.push(symbol);
  if (solving.length !== 1) throw new Error(`Byte ${byte} stands for ${solving.join(' and ') || 'nothing'}.`);
  return solving[0] ?? '';
}

/** Issues captchas with these random bytes; their answers, each proven by solving. */
export async function issueAnswers(
  count: number,
  randomBytes: Bytes,
  symbols: readonly string[],
): Promise<string[]> {
  let drawn: Buffer = Buffer.alloc(0);
  const captcha = createTriable((size) => {
    const bytes = randomBytes(size);
    if (size === captchaLength) drawn = bytes;
    return bytes;
  });
  const answers: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await captcha.issue();
    const answer = Array.from(drawn, (byte) => symbols[byte]).join('');
    if (!(await captcha.isSolvedBy(id, answer))) throw new Error(`${answer} does not solve its captcha.`);
    answers.push(answer);
  }
  return answers;
}

/** Pearson's measure of how far the symbols are from being equally frequent. */
export function chiSquare(text: string, alphabet: string): number {
  const expected = text.length / alphabet.length;
  return [...alphabet]
    .map((symbol) => text.split(symbol).length - 1)
    .reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}
