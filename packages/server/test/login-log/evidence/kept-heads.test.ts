import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseKeptHeads, writeKeptHeads } from '../../../src/login-log/evidence/kept-heads.ts';

const key = randomBytes(32);
const kept = {
  unchained: 3,
  heads: [1, 2].map((seq) => ({ chain: randomUUID(), seq, hash: randomBytes(32) })),
};
const text = writeKeptHeads(key, kept, new Date());
const content = JSON.parse(text) as { heads: Record<string, unknown>[] } & Record<string, unknown>;
const [first, second] = content.heads;

describe('kept heads are refused', () => {
  it.each<[string, object]>([
    ['the number of records without a chain', { unchained: 4 }],
    ['the time', { at: new Date(0).toISOString() }],
    ['the format', { format: 'portcullis login log heads 2' }],
    ['the signature', { signature: '0'.repeat(64) }],
    ['a chain', { heads: [{ ...first, chain: randomUUID() }, second] }],
    ['a number', { heads: [{ ...first, seq: 9 }, second] }],
    ['a hash', { heads: [{ ...first, hash: '0'.repeat(64) }, second] }],
    ['the order of the chains', { heads: [second, first] }],
    ['a chain that is left out', { heads: [first] }],
    ['a chain that is added', { heads: [first, second, { ...first, chain: randomUUID() }] }],
  ])('where somebody changed %s', (_what, change) => {
    expect(parseKeptHeads([key], JSON.stringify({ ...content, ...change }))).toBeUndefined();
  });

  it('where another key signed them', () => {
    expect(parseKeptHeads([randomBytes(32)], text)).toBeUndefined();
  });
});

it('kept heads are read back as they were written, by whichever of the keys signed them', () => {
  expect(parseKeptHeads([key], text)).toEqual(kept);
  expect(parseKeptHeads([randomBytes(32), key], text)).toEqual(kept);
});
