// Every fault that `npm run chaos -- simulation` plants can be planted: a change that moves code updates its faults.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { simulatedFaults } from '../chaos/simulation/faults.ts';
import { lintWeaknesses } from '../mutation/lint-weaknesses.ts';

const tree = { read: (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined) };

it('every fault of the simulation can be planted', () => {
  expect(lintWeaknesses(simulatedFaults, tree, new Set())).toEqual([]);
});

it('at least 20 faults are planted within every change, and 35 in all', () => {
  expect(simulatedFaults.filter(({ isSeldom }) => isSeldom !== true).length).toBeGreaterThanOrEqual(20);
  expect(simulatedFaults.length).toBeGreaterThanOrEqual(35);
});
