// What a hash binds beside its record: without it a record could be put into the same place of another chain.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createChain } from '../../../src/logs/login-log/chain.ts';
import { rowWith } from './rows.ts';

const key = randomBytes(32);
const row = rowWith();

it('gives the same record at the same position of another chain another hash', () => {
  expect(createChain(key, 'one').add(row).hash).not.toBe(createChain(key, 'two').add(row).hash);
});

it('the same record behind another one has another hash', () => {
  const behind = (username: string) => {
    const chain = createChain(key, 'one');
    chain.add({ ...row, username });
    return chain.add(row).hash;
  };
  expect(behind('mei')).toBe(behind('mei'));
  expect(behind('mei')).not.toBe(behind('mallory'));
});
