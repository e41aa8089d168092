import { expect, it } from 'vitest';
import { readOneTimeCode, readOtp } from '../../src/factors/read-code.ts';

it('takes nothing but six digits for a code of an app', () => {
  for (const typed of ['', '12345', '1234567', '12345a', '１２３４５６'])
    expect(readOtp(typed)).toBeUndefined();
});

it('takes nothing but sixteen characters of base32 for a code that was written down', () => {
  for (const typed of ['', 'ABCD-EFGH-IJKL', 'ABCD-EFGH-IJKL-MNO1', 'ABCD-EFGH-IJKL-MNOP-QRST'])
    expect(readOneTimeCode(typed)).toBeUndefined();
});

it('reads both however they are grouped', () => {
  expect(readOtp(' 123 456')).toBe('123456');
  expect(readOneTimeCode('abcd efgh-ijkl mn27')).toBe('ABCDEFGHIJKLMN27');
});
