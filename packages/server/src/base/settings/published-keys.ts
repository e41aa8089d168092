// Weak-key check: refuses keys that another party can know, because they were printed, made from a published secret, spelt from
// words, or counted off. Each rule mistakes a random key for a published one less than once in 10^6 times.
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';

/** Keys of 32 bytes that examples and test vectors print. */
const printedKeys = [
  '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4', // NIST SP 800-38A, AES-256
  '1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0', // RFC 8439, A.2 and A.5
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', // RFC 8032, 7.1, test 1
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', // RFC 8032, 7.1, test 2
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', // The first account of local test chains
].map((text) => Buffer.from(text, 'hex'));
const printedJsonWebKeys = [
  'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow', // RFC 7515, A.1
  'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI', // RFC 7515, A.3
  '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE', // RFC 7517, A.2
  'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg', // RFC 7520, 3.5
  'AAPapAv4LbFbiVawEjagUBluYqN5rhna-8nuldDvOx8', // RFC 7520, 3.6
].map((text) => Buffer.from(text, 'base64url'));

/** Secrets that products, tutorials and tools ship. The digest of a published secret is as public as the secret. */
const publishedSecrets = `
  go-admin go_admin goadmin qmPlus gin-vue-admin ruoyi RuoYi abcdefghijklmnopqrstuvwxyz portcullis casbin gin-jwt
  secret Secret supersecret super-secret super_secret topsecret mysecret my-secret my_secret mysecretkey my-secret-key
  my_secret_key secretkey secret-key secret_key secret123 thisisasecret this-is-a-secret your-secret your-secret-key
  your_secret_key your-256-bit-secret your-384-bit-secret your-512-bit-secret a-string-secret-at-least-256-bits-long
  jwt jwt-secret jwt_secret jwtsecret jwt-key jwt_key JWT_SECRET token tokensecret token-secret signing-key signingkey
  hmac hmac-secret key Key mykey my-key masterkey master-key master_key encryptionkey encryption-key privatekey
  private-key session-secret session_secret cookie-secret keyboardcat shhhhh shhhh salt pepper
  password Password passw0rd p@ssw0rd P@ssw0rd password1 password123 pass 123456 1234567 12345678 123456789 1234567890
  admin admin123 administrator root toor test test123 testing guest user demo example sample default changeme change-me
  changeit change_me replaceme replace-me placeholder todo foo bar foobar qwerty letmein welcome hello helloworld
  dev develop development prod production staging local localhost null undefined none true false 0 1 a abc abc123
`.match(/\S+/g) as readonly string[];
const publishedPhrases = ['', ' ', 'keyboard cat', 'hello world', 'secret key', 'my secret', 'change me'];

const publishedDigests = new Set(
  [...publishedSecrets, ...publishedPhrases]
    .flatMap((secret) => [secret, `${secret}\n`, secret.toUpperCase()])
    .flatMap((text) => [
      hash('sha256', text),
      hash('sha256', hash('sha256', text, 'buffer')),
      hash('sha3-256', text),
      hash('blake2s256', text),
      hash('sha512', text).slice(0, 64),
      hash('sha512', text).slice(64),
    ]),
);

export function isPublishedKey(key: Buffer): boolean {
  return (
    printedKeys.some((printed) => printed.equals(key)) ||
    printedJsonWebKeys.some((printed) => printed.includes(key)) ||
    isCountedOff(key) ||
    isPadded(key) ||
    publishedDigests.has(key.toString('hex'))
  );
}

/** Whether the bytes are valid text: random bytes are once in 10^8 times. Zero bytes after a text are valid UTF-8 too. */
export function isPhrase(key: Buffer): boolean {
  return isUtf8(key);
}

/** A text that happens to be hex or base64: a random one has both digits and letters, or both cases of letters. */
export function isSpeltInWords(text: string): boolean {
  if (text.length === 64) return !/[a-f]/i.test(text) || !/[0-9]/.test(text);
  const small = text.match(/[a-z]/g)?.length ?? 0;
  const capital = text.match(/[A-Z]/g)?.length ?? 0;
  return small === 0 || capital === 0 || Math.max(small, capital) >= 34;
}

/** The same step from byte to byte (also backwards, also zero), or a prefix that repeats to the end. */
function isCountedOff(key: Buffer): boolean {
  const stepAt = (index: number) => ((key[index] ?? 0) - (key[index - 1] ?? 0)) & 0xff;
  if (key.every((_, index) => index < 2 || stepAt(index) === stepAt(1))) return true;
  for (let period = 1; period <= key.length / 2; period += 1)
    if (key.subarray(period).equals(key.subarray(0, -period))) return true;
  return false;
}

/** A shorter key, padded to the length with one byte. */
function isPadded(key: Buffer): boolean {
  const isOneByte = (part: Buffer) => part.every((byte) => byte === part[0]);
  return isOneByte(key.subarray(0, 4)) || isOneByte(key.subarray(-4));
}
