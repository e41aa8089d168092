// The master key: read from its text, refused when weak, and split into one key a purpose.
import { hkdfSync } from 'node:crypto';

export interface MasterKey {
  /** Seals the private parts of the signing keys. */
  readonly sealing: Buffer;
  /** Keys the HMAC of captcha answers. */
  readonly captcha: Buffer;
}

const remedy = 'Make one with `openssl rand -hex 32` and set AUTH_MASTER_KEY or AUTH_MASTER_KEY_FILE.';

/** Known to everybody who reads this line, and so refused outside dev like every published key. */
const devKey = Buffer.from('706f727463756c6c6973206465762d6f6e6c79206b65792c207075626c697368', 'hex');
const publishedKeys = [devKey, Buffer.from(Array.from({ length: 32 }, (_, index) => index))];

export function parseMasterKey(text: string, isDev: boolean): MasterKey | { reason: string } {
  if (isDev && text === '') return split(devKey);
  if (text === '') return { reason: `\`auth.masterKey\` is missing. ${remedy}` };
  const key = decode(text);
  if (key === undefined) return { reason: `\`auth.masterKey\` is not 32 bytes as hex or base64. ${remedy}` };
  if (isDev) return split(key);
  if (publishedKeys.some((published) => published.equals(key)) || isPhrase(key))
    return { reason: `\`auth.masterKey\` is a published key or a phrase. ${remedy}` };
  if (new Set(key).size < 16) return { reason: `\`auth.masterKey\` repeats too few bytes. ${remedy}` };
  return split(key);
}

function decode(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** 32 random bytes are all printable once in 10^13 times; a phrase always is. */
function isPhrase(key: Buffer): boolean {
  return key.every((byte) => byte >= 0x20 && byte < 0x7f);
}

function split(key: Buffer): MasterKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', `portcullis ${purpose}`, 32));
  return { sealing: derive('sealing'), captcha: derive('captcha') };
}
