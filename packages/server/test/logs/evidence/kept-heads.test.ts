import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mergeKeptHeads, parseKeptHeads, writeKeptHeads } from '../../../src/logs/evidence/kept-heads.ts';

const key = randomBytes(32);
const kept = {
  deployment: randomUUID(),
  unchained: 3,
  heads: [1, 2].map((seq) => ({ chain: randomUUID(), seq, hash: randomBytes(32) })),
  audit: { seq: 7, hash: randomBytes(32) },
};
const at = new Date();
const readBack = { ...kept, audit: [kept.audit], at: at.toISOString() };
const text = writeKeptHeads(key, kept, at);
const content = JSON.parse(text) as { heads: Record<string, unknown>[] } & Record<string, unknown>;
const [first, second] = content.heads;

describe('kept heads are refused', () => {
  it.each<[string, object]>([
    ['the number of records without a chain', { unchained: 4 }],
    ['the time', { at: new Date(0).toISOString() }],
    ['the format', { format: 'portcullis login log heads 1' }],
    ['the database', { deployment: randomUUID() }],
    ['where the audit log ended', { audit: { seq: 6, hash: '0'.repeat(64) } }],
    ['where the audit log ended, to nothing', { audit: undefined }],
    ['the signature', { signature: '0'.repeat(64) }],
    ['a chain', { heads: [{ ...first, chain: randomUUID() }, second] }],
    ['a number', { heads: [{ ...first, seq: 9 }, second] }],
    ['a hash', { heads: [{ ...first, hash: '0'.repeat(64) }, second] }],
    ['the order of the chains', { heads: [second, first] }],
    ['a chain that is left out', { heads: [first] }],
    ['a chain that is added', { heads: [first, second, { ...first, chain: randomUUID() }] }],
  ])('after a change of %s', (_what, change) => {
    expect(parseKeptHeads([key], JSON.stringify({ ...content, ...change }))).toBeUndefined();
  });

  it.each(['portcullis login log heads 1', 'portcullis log heads 3'])(
    'in the unknown format %s, also if signed',
    (format) => {
      const { deployment, unchained, heads, audit } = content;
      const { seq, hash } = audit as Record<string, unknown>;
      const chains = heads.map((head) => [head.chain, head.seq, head.hash]);
      const rest = [content.at, deployment, [seq, hash], unchained, ...chains];
      const signed = (named: unknown) => ({
        ...content,
        format: named,
        signature: createHmac('sha256', key)
          .update(JSON.stringify([named, ...rest]))
          .digest('hex'),
      });
      expect(parseKeptHeads([key], JSON.stringify(signed(content.format)))).toEqual(readBack);
      expect(parseKeptHeads([key], JSON.stringify(signed(format)))).toBeUndefined();
    },
  );

  it('where another key signed them', () => {
    expect(parseKeptHeads([randomBytes(32)], text)).toBeUndefined();
  });
});

it('kept heads are read back as they were written, by whichever of the keys signed them', () => {
  expect(parseKeptHeads([key], text)).toEqual(readBack);
  expect(parseKeptHeads([randomBytes(32), key], text)).toEqual(readBack);
});

it('combines several texts: the furthest position of each chain, and every end of the audit log', () => {
  const [one] = kept.heads;
  const older = {
    unchained: 5,
    heads: [{ chain: String(one?.chain), seq: 0, hash: randomBytes(32) }],
    audit: [{ seq: 2, hash: randomBytes(32) }],
  };
  expect(mergeKeptHeads([readBack, older])).toEqual({
    unchained: 3,
    heads: kept.heads,
    audit: [...readBack.audit, ...older.audit],
  });
  expect(mergeKeptHeads([])).toBeUndefined();
});
