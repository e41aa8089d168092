// The faults that `npm run chaos -- simulation` plants can be planted: whoever moves code takes its faults along.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { simulatedFaults } from '../chaos/simulation/faults.ts';
import { lintFaults } from '../mutation/lint-faults.ts';

const tree = { read: (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined) };

it('every fault of the simulation can be planted', () => {
  expect(lintFaults(simulatedFaults, tree)).toEqual([]);
});

it('at least 20 faults are planted within every change, and 35 in all', () => {
  expect(simulatedFaults.filter(({ isSeldom }) => isSeldom !== true).length).toBeGreaterThanOrEqual(20);
  expect(simulatedFaults.length).toBeGreaterThanOrEqual(35);
});
