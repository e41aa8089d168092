import { expect, it } from 'vitest';
import { keepJourney, takeJourney } from '../../src/providers/journey.ts';

function createStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
    kept,
  };
}
const journey = { purpose: 'link', provider: 'north', flowId: 'a1' } as const;

it('finds nothing of another provider, and forgets what was kept', () => {
  const storage = createStorage();
  keepJourney(journey, storage);
  expect(takeJourney('south', storage)).toBeUndefined();
  expect(takeJourney('north', storage)).toBeUndefined();
});

it.each(['null', '7', '[]', '{', '{"provider":7}'])('finds nothing in %s', (text) => {
  const storage = createStorage();
  storage.kept.set('portcullis.journey', text);
  expect(takeJourney('north', storage)).toBeUndefined();
});

it('gives the journey to its provider once', () => {
  const storage = createStorage();
  keepJourney(journey, storage);
  expect(takeJourney('north', storage)).toEqual(journey);
  expect(takeJourney('north', storage)).toBeUndefined();
});
