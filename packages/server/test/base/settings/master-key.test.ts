import { hash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseMasterKey } from '../../../src/base/settings/master-key.ts';

const remedy = 'Create one with `openssl rand -hex 32` and set AUTH_MASTER_KEY or AUTH_MASTER_KEY_FILE.';
const key = randomBytes(32).fill(0xff, 0, 1);
const devKey = Buffer.from('706f727463756c6c6973206465762d6f6e6c79206b65792c207075626c697368', 'hex');
const counting = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const phrase = Buffer.from('correct horse battery staple, 32');
const fifteen = Buffer.from(Array.from({ length: 32 }, (_, index) => 0x80 + (index % 15)));
const sixteen = Buffer.from(Array.from({ length: 32 }, (_, index) => 0x80 + ((index * index) % 31)));

const sha256 = (text: string) => hash('sha256', text);

const shape = `\`auth.masterKey\` is not 32 bytes as hex or base64. ${remedy}`;
const published = `\`auth.masterKey\` is a published key or a phrase. ${remedy}`;
const weak = `\`auth.masterKey\` has too few different bytes. ${remedy}`;

describe('outside dev a master key', () => {
  it.each([
    ['missing', '', `\`auth.masterKey\` is missing. ${remedy}`],
    ['one byte short in hex', key.toString('hex').slice(2), shape],
    ['one byte long in hex', `${key.toString('hex')}00`, shape],
    ['half a byte short in hex', key.toString('hex').slice(1), shape],
    ['one byte short in base64', key.subarray(1).toString('base64'), shape],
    ['one byte long in base64', Buffer.concat([key, key.subarray(0, 1)]).toString('base64'), shape],
    ['surrounded by space', ` ${key.toString('hex')}`, shape],
    ['followed by a line end', `${key.toString('hex')}\n`, shape],
    ['no hex at all', 'z'.repeat(64), shape],
    ['plain words', 'secret', shape],
    ['the key of dev in hex', devKey.toString('hex'), published],
    ['the key of dev in capital hex', devKey.toString('hex').toUpperCase(), published],
    ['the key of dev in base64', devKey.toString('base64'), published],
    ['the bytes 0 to 31', counting.toString('hex'), published],
    ['a phrase in hex', phrase.toString('hex'), published],
    ['a phrase in base64', phrase.toString('base64'), published],
    ['all zero', '0'.repeat(64), published],
    ['all one byte', 'f9'.repeat(32), weak],
    ['of fifteen different bytes', fifteen.toString('hex'), weak],
    ['counting down', Buffer.from(counting.map((byte) => 255 - byte)).toString('hex'), published],
    ['counting in sevens', Buffer.from(counting.map((byte) => 1 + byte * 7)).toString('hex'), published],
    ['of sixteen bytes twice', '80c391f2a4d5b6e7889bacbdced1e3f5'.repeat(2), published],
    ['filled up at the end', `${key.toString('hex').slice(0, 56)}ffffffff`, published],
    ['filled up at the beginning', `00000000${key.toString('hex').slice(8)}`, published],
    [
      'a phrase that ends in zeros',
      Buffer.from('a phrase of some length'.padEnd(32, '\0')).toString('hex'),
      published,
    ],
    ['a Chinese phrase', Buffer.from('这是一个大家都知道的ok').toString('hex'), published],
    ['the SHA-256 of a published secret', sha256('go-admin'), published],
    ['the SHA-256 of one with a line end', sha256('secret\n'), published],
    ['the SHA-256 of nothing', sha256(''), published],
    ['a key of RFC 7520', 'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg', published],
    [
      'the AES-256 key of NIST',
      '603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4',
      published,
    ],
    ['only digits', '3141592653589793238462643383279502884197169399375105820974944592', published],
    ['words that happen to be base64', 'thisKeyIsLongEnoughAndEverybodycouldtypeit0', published],
    ['words with dashes', 'my-super-secret-key-that-is-long-enough-123', published],
  ])('%s is refused', (_what, text, reason) => {
    expect(parseMasterKey(text, false)).toEqual({ reason });
  });

  it('never shows itself in a refusal', () => {
    for (const text of [phrase.toString('hex'), fifteen.toString('hex'), 'canary-secret'])
      expect(JSON.stringify(parseMasterKey(text, false))).not.toContain(text);
  });

  it('that is random is never taken for a published one', () => {
    for (let count = 0; count < 60; count += 1) {
      const bytes = randomBytes(32);
      if (new Set(bytes).size < 16) continue;
      expect(parseMasterKey(bytes.toString('hex'), false)).toHaveProperty('sealing');
      expect(parseMasterKey(bytes.toString('base64url'), false)).toHaveProperty('sealing');
    }
  });

  it('of sixteen different bytes is accepted', () => {
    expect(new Set(sixteen).size).toBe(16);
    expect(parseMasterKey(sixteen.toString('hex'), false)).toHaveProperty('sealing');
  });

  it('is the same key in every spelling', () => {
    const spellings = [
      key.toString('hex'),
      key.toString('hex').toUpperCase(),
      key.toString('base64'),
      key.toString('base64').replace('=', ''),
      key.toString('base64url'),
    ];
    const keys = spellings.map((text) => JSON.stringify(parseMasterKey(text, false)));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toContain('sealing');
  });
});

describe('a master key', () => {
  it('gives one key of 32 bytes a purpose, none of them itself', () => {
    const parsed = parseMasterKey(key.toString('hex'), false);
    if ('reason' in parsed) throw new Error(parsed.reason);
    const texts = [key, parsed.sealing, parsed.captcha].map((bytes) => bytes.toString('hex'));
    expect(texts.map((text) => text.length)).toEqual([64, 64, 64]);
    expect(new Set(texts).size).toBe(3);
  });
});

describe('in dev a master key', () => {
  it('that is malformed is refused all the same', () => {
    expect(parseMasterKey('secret', true)).toEqual({ reason: shape });
  });

  it('may be missing, and is then the published one', () => {
    expect(parseMasterKey('', true)).toEqual(parseMasterKey(devKey.toString('hex'), true));
  });
});
