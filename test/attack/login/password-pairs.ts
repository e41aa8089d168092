// Passwords that are almost the stored one, with whether they are it.

export interface PasswordPair {
  readonly what: string;
  readonly stored: string;
  readonly tried: string;
  readonly matches: boolean;
}

const long = (length: number) => 'Abc4'.repeat(Math.ceil(length / 4)).slice(0, length);

const pair = (what: string, stored: string, tried: string, matches = false): PasswordPair => ({
  what,
  stored,
  tried,
  matches,
});

/** What must hold for any kind of hash: bcrypt reads 72 bytes, stops at a zero byte and would begin again. */
const anyKind: readonly PasswordPair[] = [
  pair('itself', 'Secret-4711', 'Secret-4711', true),
  pair('72 bytes and themselves', long(72), long(72), true),
  pair('72 bytes and one more', long(72), `${long(72)}x`),
  pair('72 bytes and themselves twice', long(72), long(144)),
  pair('something and a zero byte behind it', 'Secret', 'Secret\0'),
  pair('something and more behind a zero byte', 'Secret', 'Secret\0Secret'),
  pair('something and itself twice with a zero byte between', 'Secret', 'Secret\0Secret\0'),
  pair('a space behind it', 'Secret-4711', 'Secret-4711 '),
  pair('a space before it', 'Secret-4711', ' Secret-4711'),
  pair('a line end behind it', 'Secret-4711', 'Secret-4711\n'),
  pair('another case', 'Secret-4711', 'secret-4711'),
  pair('wide letters', 'Secret-4711', 'Ｓecret-4711'),
  pair('the first letter alone', 'Secret-4711', 'S'),
  pair('a letter without its mark', 'Geheimér', 'Geheimer'),
];

const ownKind: readonly PasswordPair[] = [
  ...anyKind,
  pair('a difference in byte 73', `${long(72)}a${long(9)}`, `${long(72)}b${long(9)}`),
  pair('a difference in byte 256', `${long(255)}a`, `${long(255)}b`),
  pair('256 characters of four bytes', '😀'.repeat(256), '😀'.repeat(256), true),
  pair('a difference after a zero byte', 'Secret\0one', 'Secret\0two'),
  pair('a zero byte and nothing behind it', 'Secret\0one', 'Secret'),
  pair('a zero byte', 'Secret\0one', 'Secret\0one', true),
  pair('marks of their own', 'Geheimér', 'Geheimér'.normalize('NFD'), true),
  pair('a ligature', 'office', 'oﬃce'),
];

export const passwordPairs = { argon2id: ownKind, bcrypt: anyKind } as const;
