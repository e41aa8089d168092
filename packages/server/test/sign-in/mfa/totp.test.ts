import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { codeAt, findStep, stepAt, toBase32, totpUri } from '../../../src/sign-in/mfa/totp/totp.ts';

const secret = Buffer.from('12345678901234567890');

describe('a code', () => {
  // RFC 6238, appendix B, the rows of SHA-1.
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('at second %d equals the one in the RFC', (seconds, code) => {
    expect(codeAt(secret, stepAt(seconds * 1000), 8)).toBe(code);
    expect(codeAt(secret, stepAt(seconds * 1000))).toBe(code.slice(2));
  });

  it('equals the code of another app, Debian’s oathtool, a thousand times', () => {
    for (let app = 0; app < 10; app += 1) {
      const own = randomBytes(20);
      const seconds = randomBytes(4).readUInt32BE();
      const first = stepAt(seconds * 1000);
      const words = ['--totp', '--base32', `--now=@${seconds}`, '--window=99', toBase32(own)];
      const codes = execFileSync('oathtool', words, { encoding: 'utf8' }).trim().split('\n');
      expect(codes).toEqual(Array.from({ length: 100 }, (_, at) => codeAt(own, first + at)));
    }
  });
});

describe('the step of a code', () => {
  const now = 1_700_000_000_000;
  const current = stepAt(now);
  const find = (step: number, after = 0) => findStep(secret, codeAt(secret, step), { now, after });

  it('is found one step either way, and no further', () => {
    expect([-2, -1, 0, 1, 2].map((off) => find(current + off))).toEqual([
      undefined,
      current - 1,
      current,
      current + 1,
      undefined,
    ]);
  });

  it('is not found where it was used, nor one before it', () => {
    expect(find(current, current)).toBeUndefined();
    expect(find(current - 1, current)).toBeUndefined();
    expect(find(current + 1, current)).toBe(current + 1);
  });

  it.each(['', '12345', '1234567', 'abcdef', '٠٠٠٠٠٠'])('is not found for %j', (code) => {
    expect(findStep(secret, code, { now, after: 0 })).toBeUndefined();
  });
});

describe('a secret', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('%j is written as RFC 4648 has it, without padding', (text, written) => {
    expect(toBase32(Buffer.from(text))).toBe(written);
  });

  it('is in the address that an app reads, with names as they are', () => {
    const uri = totpUri(randomBytes(20), 'Orders & more', 'mei+1@example.com');
    const { protocol, pathname, searchParams } = new URL(uri);
    expect(protocol).toBe('otpauth:');
    expect(decodeURIComponent(pathname)).toContain('Orders & more:mei+1@example.com');
    expect(searchParams.get('issuer')).toBe('Orders & more');
    expect(searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).not.toContain('+');
  });
});
