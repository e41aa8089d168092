import { LoginBody } from '@portcullis/contract';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';

const body = { username: 'mei', password: 'a password', uuid: 'AAAAAAAAAAAAAAAAAAAAAA', code: 'ABCDE' };
const longest = { username: 64, password: 256, uuid: 64, code: 16 };

describe.each(Object.entries(longest))('the field %s', (field, length) => {
  it.each([
    ['empty', ''],
    ['one character too long', 'x'.repeat(length + 1)],
    ['a number', 7],
    ['null', null],
    ['a list', ['x']],
    ['an object', { $ne: '' }],
  ])('is refused when it is %s', (_what, value) => {
    expect(Check(LoginBody, { ...body, [field]: value })).toBe(false);
  });

  it(`holds 1 to ${length} characters`, () => {
    expect(Check(LoginBody, { ...body, [field]: 'x' })).toBe(true);
    expect(Check(LoginBody, { ...body, [field]: 'x'.repeat(length) })).toBe(true);
  });
});

describe('the body', () => {
  it.each([undefined, null, [], 'text', {}, { username: 'mei' }, { password: 'a password' }])(
    '%j is refused',
    (value) => {
      expect(Check(LoginBody, value)).toBe(false);
    },
  );

  it('may lack uuid and code, because dev skips the captcha', () => {
    expect(Check(LoginBody, { username: 'mei', password: 'a password' })).toBe(true);
  });
});
