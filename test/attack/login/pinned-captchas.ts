// Loaded into a server under test with `--import`: the random bytes of captcha answers are those of a list, so that the
// suite knows every answer without reading pictures. All other randomness stays as it is.
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { captchaAlphabet, captchaLength } from '../../../packages/captcha/src/alphabet.ts';

/** From here the alphabet has neither digits nor letters of hex, which stand in times and ids by chance. */
const firstTelling = captchaAlphabet.indexOf('G');

function answerBytes(index: number): Buffer {
  const bytes = createHash('sha256').update(`captcha ${index}`).digest().subarray(0, captchaLength);
  return Buffer.from(bytes.map((byte) => firstTelling + (byte % (captchaAlphabet.length - firstTelling))));
}

/** The answer of the captcha that was fetched as the so manieth. */
export function pinnedAnswer(index: number): string {
  return Array.from(answerBytes(index), (byte) => captchaAlphabet[byte]).join('');
}

/** The server is told so by its environment; the suite only reads the list. */
if (process.env.PINNED_CAPTCHAS === 'true') {
  const original = crypto.randomBytes;
  let drawn = 0;
  const pinned = (size: number) => {
    if (size !== captchaLength) return original(size);
    drawn += 1;
    return answerBytes(drawn - 1);
  };
  Reflect.set(crypto, 'randomBytes', pinned);
  syncBuiltinESMExports();
}
