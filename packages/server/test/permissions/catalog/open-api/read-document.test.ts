import { catalogLimits } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../../src/permissions/catalog/open-api/read-document.ts';

const bomb = [
  'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(10)}]`),
].join('\n');

describe('a text is refused', () => {
  it.each([
    ['is larger than the limit', ' '.repeat(catalogLimits.documentBytes + 1), /larger than 4 MB/],
    ['is half a JSON', '{"openapi": "3.0.0"', /cannot be read/],
    ['is half a YAML', 'a: [', /cannot be read/],
    ['has an alias bomb', bomb, /alias/],
    ['has an alias of nothing', 'a: *b', /cannot be read/],
    ['is nested without an end', `a: ${'['.repeat(100_000)}`, /cannot be read/],
    ['has a key twice', 'paths:\n  /a: {}\n  /a: {}\n', /"\/a" is written twice/],
    ['has several documents', 'a: 1\n---\nb: 2\n', /cannot be read/],
  ])('that %s', (_what, text, reason) => {
    expect(readDocument(text)).toEqual({ reason: expect.stringMatching(reason) });
  });

  it('in one plain line', () => {
    const read = readDocument('{"a": \u001b[31m}');
    expect(read).toEqual({ reason: expect.not.stringMatching(/[\p{Cc}]/u) });
  });
});

describe('reads', () => {
  it.each([
    ['JSON', '{"openapi":"3.0.0"}', { openapi: '3.0.0' }],
    ['JSON behind a byte order mark', '\uFEFF{"openapi":"3.0.0"}', { openapi: '3.0.0' }],
    ['YAML', 'openapi: 3.0.0\n', { openapi: '3.0.0' }],
    ['YAML with an alias', 'a: &x {b: 1}\nc: *x\n', { a: { b: 1 }, c: { b: 1 } }],
    ['nothing', '', null],
  ])('%s', (_what, text, document) => {
    expect(readDocument(text)).toEqual({ document });
  });

  it('deeply nested JSON, without recursion', () => {
    expect(readDocument(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toHaveProperty('document');
  });

  it('a prototype as a key like any other', () => {
    const read = readDocument('__proto__: {openapi: 3.0.0}\n');
    expect(read).toHaveProperty('document');
    const { document } = read as { document: object };
    expect(Object.keys(document)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
  });

  it('a YAML of 10,000 paths in seconds', () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `  /a/${index}: {get: {}}`);
    const before = process.cpuUsage();
    expect(readDocument(['paths:', ...lines].join('\n'))).toHaveProperty('document');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(10_000);
  });
});
