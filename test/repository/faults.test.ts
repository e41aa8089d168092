// The faults that `npm run mutation -- faults` plants can be planted: whoever moves code takes its faults along.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Fault, planted } from '../mutation/fault.ts';
import { faults, noFaults } from '../mutation/faults/all.ts';
import { lintFaults } from '../mutation/lint-faults.ts';

const tree = { read: (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined) };
const small = { read: (file: string) => ({ 'a.ts': 'one two two', 'a.test.ts': '' })[file] };
const good: Fault = { name: 'a', file: 'a.ts', before: 'one', after: '$&', seenBy: ['a.test.ts'] };

describe('a fault cannot be planted', () => {
  it.each<[string, readonly Fault[]]>([
    ['in a file that is not there', [{ ...good, file: 'b.ts' }]],
    ['in place of a text that is not there', [{ ...good, before: 'three' }]],
    ['in place of a text that is there twice', [{ ...good, before: 'two' }]],
    ['by the same text', [{ ...good, after: 'one' }]],
    ['where its test is not there', [{ ...good, seenBy: ['a.test.ts', 'b.test.ts'] }]],
    ['under the name of another', [good, { ...good, after: 'zero' }]],
  ])('%s', (_, some) => {
    expect(lintFaults(some, small)).toHaveLength(1);
  });
});

it('a fault is planted as it is written', () => {
  expect(lintFaults([good], small)).toEqual([]);
  expect(planted(good, 'one two')).toBe('$& two');
});

it('every fault of the list can be planted', () => {
  expect(lintFaults([...faults, ...noFaults], tree)).toEqual([]);
});

it('at least 120 faults are planted', () => {
  expect(faults.length).toBeGreaterThanOrEqual(120);
});
