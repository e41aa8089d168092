import { describe, expect, it } from 'vitest';
import { isServiceName, readDocument } from '../../../src/pages/endpoints/read-document.ts';

const file = (text: string, size = text.length) => ({ size, text: async () => text });

describe('a file is refused', () => {
  it.each([
    ['that is YAML', file('openapi: 3.1.0'), 'notJson'],
    ['that is empty', file(''), 'notJson'],
    ['that is a list', file('[]'), 'notJson'],
    ['that is null', file('null'), 'notJson'],
    ['that is too large', file('{}', 4 * 1024 * 1024 + 1), 'tooLarge'],
    ['that is gone', { size: 1, text: () => Promise.reject(new Error('gone')) }, 'notRead'],
  ])('%s', async (_what, chosen, problem) => {
    expect(await readDocument(chosen)).toEqual({ problem });
  });
});

it('a document is read', async () => {
  expect(await readDocument(file('{"openapi":"3.1.0"}'))).toEqual({ document: { openapi: '3.1.0' } });
});

it('accepts a service name in lower case, and rejects our own', () => {
  expect(['orders', 'a', 'a-1_b', 'a'.repeat(32)].every(isServiceName)).toBe(true);
  expect(['', 'Orders', '1a', '-a', 'a b', 'a'.repeat(33), 'portcullis'].some(isServiceName)).toBe(false);
});
