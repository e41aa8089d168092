import { expect, it } from 'vitest';
import { readReturn } from '../../../src/pages/sign-in/read-return.ts';

it.each([undefined, ['/users'], '', 'users', '//evil.example', '/\\evil.example', 'https://evil.example'])(
  'leads to the first page instead of %j',
  (to) => {
    expect(readReturn(to)).toBe('/');
  },
);

it('leads to a page of the console', () => {
  expect(readReturn('/users?roleId=3')).toBe('/users?roleId=3');
  expect(readReturn('/')).toBe('/');
});
