import { expect, test } from 'vitest';
import { keepDraft, takeDraft } from '../../../src/pages/matrix/kept-draft.ts';

const draft = new Map([[2, new Map([['GET /orders', 'add' as const]])]]);

test('returns the draft to its author once', () => {
  keepDraft(7, draft);
  expect(takeDraft(7)).toEqual(draft);
  expect(takeDraft(7)).toEqual(new Map());
});

test('returns no draft to another user, and deletes it then', () => {
  keepDraft(7, draft);
  expect(takeDraft(8)).toEqual(new Map());
  expect(takeDraft(7)).toEqual(new Map());
  keepDraft(7, draft);
  expect(takeDraft(undefined)).toEqual(new Map());
});
