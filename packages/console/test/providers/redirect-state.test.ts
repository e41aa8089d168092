import { expect, it } from 'vitest';
import { storeRedirectState, takeRedirectState } from '../../src/providers/redirect-state.ts';

function createStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
    kept,
  };
}
const state = { purpose: 'link', provider: 'north', flowId: 'a1' } as const;

it('finds nothing of another provider, and forgets what was kept', () => {
  const storage = createStorage();
  storeRedirectState(state, storage);
  expect(takeRedirectState('south', storage)).toBeUndefined();
  expect(takeRedirectState('north', storage)).toBeUndefined();
});

it.each(['null', '7', '[]', '{', '{"provider":7}'])('finds nothing in %s', (text) => {
  const storage = createStorage();
  storage.kept.set('portcullis.redirect-state', text);
  expect(takeRedirectState('north', storage)).toBeUndefined();
});

it('gives the state to its provider once', () => {
  const storage = createStorage();
  storeRedirectState(state, storage);
  expect(takeRedirectState('north', storage)).toEqual(state);
  expect(takeRedirectState('north', storage)).toBeUndefined();
});
