// Which addresses the settings of a provider may name.
import { expect, it } from 'vitest';
import { isPlainHttps, isReturnAddress } from '../../../src/sign-in/providers/provider-address.ts';

it.each<[address: string, isProvider: boolean, isReturn: boolean]>([
  ['https://sso.example.com', true, true],
  ['https://sso.example.com/a/b', true, true],
  ['http://localhost:8000/return', false, true],
  ['http://127.0.0.1/return', false, true],
  ['http://sso.example.com', false, false],
  ['http://127.0.0.2', false, false],
  ['ftp://localhost', false, false],
  ['https://mei@sso.example.com', false, false],
  ['https://:secret@sso.example.com', false, false],
  ['https://sso.example.com?', false, false],
  ['https://sso.example.com?a=b', false, false],
  ['https://sso.example.com#', false, false],
  ['https://sso.example.com#a', false, false],
  ['sso.example.com', false, false],
  ['', false, false],
])('%s is an address of a provider: %s, and one to return to: %s', (address, isProvider, isReturn) => {
  expect([isPlainHttps(address), isReturnAddress(address)]).toEqual([isProvider, isReturn]);
});
