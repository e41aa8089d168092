// The master key: parses it, refuses weak keys, and derives one key per purpose (HKDF).
import { hkdfSync } from 'node:crypto';
import { isPhrase, isPublishedKey, isSpeltInWords } from './published-keys.ts';

export interface MasterKey {
  /** Encrypts stored secrets, such as the private parts of the signing keys. */
  readonly sealing: Buffer;
  /** Keys the HMAC of captcha answers. */
  readonly captcha: Buffer;
  /** Keys the HMAC that replaces names and networks in the brute-force protection. */
  readonly throttle: Buffer;
  /** Keys the hashes that chain the records of the login log, and signs how far a chain reaches. */
  readonly chain: Buffer;
  /** Keys the hashes that replace names without an account in the login log. */
  readonly names: Buffer;
  /** Derives the codes of links that set a password. */
  readonly links: Buffer;
}

const remedy = 'Create one with `openssl rand -hex 32` and set AUTH_MASTER_KEY or AUTH_MASTER_KEY_FILE.';

const published = `\`auth.masterKey\` is a published key or a phrase. ${remedy}`;

/** Public, because it is in this source; it is a phrase, so it is refused outside dev. */
const devKey = Buffer.from('706f727463756c6c6973206465762d6f6e6c79206b65792c207075626c697368', 'hex');

export function parseMasterKey(text: string, isDev: boolean): MasterKey | { reason: string } {
  if (isDev && text === '') return split(devKey);
  if (text === '') return { reason: `\`auth.masterKey\` is missing. ${remedy}` };
  const key = decode(text);
  if (key === undefined) return { reason: `\`auth.masterKey\` is not 32 bytes as hex or base64. ${remedy}` };
  if (isDev) return split(key);
  if (isPhrase(key) || isSpeltInWords(text)) return { reason: published };
  if (new Set(key).size < 16) return { reason: `\`auth.masterKey\` has too few different bytes. ${remedy}` };
  if (isPublishedKey(key)) return { reason: published };
  return split(key);
}

function decode(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function split(key: Buffer): MasterKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', `portcullis ${purpose}`, 32));
  return {
    sealing: derive('sealing'),
    captcha: derive('captcha'),
    throttle: derive('throttle'),
    chain: derive('chain'),
    names: derive('names'),
    links: derive('links'),
  };
}
