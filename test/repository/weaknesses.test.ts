// Every entry of `test/weaknesses` can be planted: a change that moves code updates its weaknesses.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { threatIds } from '../attack/threats.ts';
import { lintWeaknesses } from '../mutation/lint-weaknesses.ts';
import { equivalents, weaknesses } from '../weaknesses/all.ts';
import { planted, plantedFiles, type Weakness } from '../weaknesses/weakness.ts';

const tree = { read: (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined) };
const small = {
  read: (file: string) =>
    ({ 'a.ts': 'one two two', 'a.test.ts': '', 'package.json': '{ "scripts": { "operate": "" } }' })[file],
};
const threats = new Set(['T01']);
const good: Weakness = { name: 'a', file: 'a.ts', before: 'one', after: '$&', seenBy: ['a.test.ts'] };

describe('rejects a weakness', () => {
  it.each<[string, readonly Weakness[]]>([
    ['in a file that is not there', [{ ...good, file: 'b.ts' }]],
    ['in place of a text that is not there', [{ ...good, before: 'three' }]],
    ['in place of a text that is there twice', [{ ...good, before: 'two' }]],
    ['by the same text', [{ ...good, after: 'one' }]],
    ['where its test is not there', [{ ...good, seenBy: ['a.test.ts', 'b.test.ts'] }]],
    ['where its suite is not there', [{ ...good, seenBy: ['npm run oprate -- all'] }]],
    ['under the name of another', [good, { ...good, after: 'zero' }]],
    ['that is planted under another name too', [good, { ...good, name: 'b' }]],
    [
      'that is planted under another name too, with more text around it',
      [good, { ...good, name: 'b', before: 'one two', after: '$&\ntwo' }],
    ],
    ['against a threat that is not listed', [{ ...good, threat: 'T99' }]],
    [
      'of which another place cannot be planted',
      [{ ...good, also: [{ file: 'a.ts', before: 'three', after: '' }] }],
    ],
    ['with attacks and without a threat', [{ ...good, attacks: ['a title'] }]],
  ])('%s', (_, some) => {
    expect(lintWeaknesses(some, small, threats)).toHaveLength(1);
  });
});

it('plants a weakness as it is written', () => {
  expect(lintWeaknesses([{ ...good, threat: 'T01' }], small, threats)).toEqual([]);
  expect(lintWeaknesses([{ ...good, seenBy: ['npm run operate'] }], small, threats)).toEqual([]);
  expect(planted(good, 'one two')).toBe('$& two');
});

it('plants all places of a weakness', () => {
  const both = { ...good, also: [{ file: 'a.ts', before: ' two two', after: '' }] };
  expect(lintWeaknesses([both], small, threats)).toEqual([]);
  expect([...plantedFiles(both, (file) => small.read(file) ?? '')]).toEqual([['a.ts', '$&']]);
});

it('plants every weakness of the list', () => {
  expect(lintWeaknesses([...weaknesses, ...equivalents], tree, threatIds)).toEqual([]);
});

it('lists at least 952 weaknesses', () => {
  expect(weaknesses.length).toBeGreaterThanOrEqual(952);
});
