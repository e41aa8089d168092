import { expect, it } from 'vitest';
import { createExclusionUses } from '../../../src/permissions/exclusions/exclusion-uses.ts';

it('stores what was counted, once', async () => {
  const stored: [string, number][][] = [];
  const uses = createExclusionUses(async (counted) => void stored.push([...counted]));
  await uses.flush();
  uses.count('GET /a');
  uses.count('GET /b');
  uses.count('GET /a');
  await uses.flush();
  await uses.flush();
  expect(stored).toEqual([
    [
      ['GET /a', 2],
      ['GET /b', 1],
    ],
  ]);
});

it('keeps what could not be stored, together with what was counted meanwhile', async () => {
  let stored: [string, number][] = [];
  let isAway = true;
  const uses = createExclusionUses(async (counted) => {
    if (!isAway) stored = [...counted];
    else {
      uses.count('GET /a');
      throw new Error('The database is away.');
    }
  });
  uses.count('GET /a');
  await expect(uses.flush()).rejects.toThrow('away');
  isAway = false;
  await uses.flush();
  expect(stored).toEqual([['GET /a', 2]]);
});
