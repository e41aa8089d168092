import { expect, it, vi } from 'vitest';
import { actionTexts } from '../../../src/pages/audit/actions.ts';
import { type Change, sayChange, sayInText } from '../../../src/pages/audit/say-change.ts';
import { sentenceTexts } from '../../../src/pages/audit/sentences.ts';

// The language of the page belongs to a document, and here is none.
vi.mock('../../../src/language/language.ts', () => ({ defineTexts: (texts: unknown) => texts }));

const change: Change = {
  actorId: 1,
  actorName: 'ada',
  action: 'user.disable',
  target: 'user 7',
  before: { enabled: true },
  after: { enabled: false },
  names: { 'user 7': 'Clara Lindqvist' },
};
const say = (part: Partial<Change>) => sayInText(sentenceTexts.en, { ...change, ...part });

it('links nothing that the data scope hides or that was deleted', () => {
  expect(sayChange(sentenceTexts.en, { ...change, names: {} }).at(-1)).toEqual({ text: 'user no. 7' });
  expect(sayChange(sentenceTexts.en, { ...change, action: 'user.delete' }).at(-1)).toEqual({
    text: 'Clara Lindqvist',
  });
});

it('names actor, action and object, with links to actor and object', () => {
  expect(sayChange(sentenceTexts.en, change)).toEqual([
    { text: 'ada', object: { kind: 'user', id: 1 } },
    { text: ' disabled ' },
    { text: 'Clara Lindqvist', object: { kind: 'user', id: 7 } },
  ]);
  expect(sayInText(sentenceTexts.zh, change)).toBe('ada 停用了用户 Clara Lindqvist');
});

it('names the requested call and the approved path, which can be wider', () => {
  const names = { 'user 7': 'Clara', 'role 3': 'Sales' };
  const call = { method: 'DELETE', path: '/orders/7' };
  expect(say({ action: 'access_request.create', after: call, names })).toBe('ada requested DELETE /orders/7');
  expect(
    say({
      action: 'access_request.approve',
      after: { ...call, approvedPath: '/orders/:id', roleId: 3 },
      names,
    }),
  ).toBe('ada approved DELETE /orders/:id for Clara, for the role Sales');
});

it('names what the target became, and whose session ended', () => {
  const names = { 'user 7': 'Clara', 'role 3': 'Sales' };
  expect(say({ action: 'user.role', after: { roleId: 3 }, names })).toBe('ada gave Clara the role Sales');
  expect(say({ action: 'session.end', target: 'session x', before: { userId: 7 }, names })).toBe(
    'ada ended a session of Clara',
  );
  expect(say({ action: 'session.end', target: 'session x', before: null })).toBe(
    'ada ended a session of somebody',
  );
});

it('says by its name what it has no sentence for', () => {
  expect(say({ action: 'coffee.make', target: 'cup 3' })).toBe('ada: coffee.make, cup 3');
  expect(say({ action: 'other', target: 'cup 3' })).toBe('ada: other, cup 3');
});

it('names the command line as the actor of id 0', () => {
  expect(sayChange(sentenceTexts.en, { ...change, actorId: 0 })[0]).toEqual({ text: 'The command line' });
});

it('has a sentence for every action that can be filtered by', () => {
  for (const action of Object.keys(actionTexts.en)) expect(sentenceTexts.en).toHaveProperty([action]);
});
