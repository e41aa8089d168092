import { expect, test } from 'vitest';
import { type AnswerTexts, writeAnswer } from '../../../src/pages/explain/describe-answer.ts';
import type { Explained, Step } from '../../../src/pages/explain/question.ts';

const steps: readonly Step[] = [
  'not_canonical',
  'public',
  'user_disabled',
  'role_disabled',
  'password_change_required',
  'identity',
  'admin',
  'excluded',
  'rule',
  'no_rule',
];
const words: AnswerTexts = {
  allowed: 'Allowed',
  denied: 'Denied',
  nothing: 'nothing',
  rule: 'Rule',
  nearest: 'Nearest',
  mayCall: (who) => `${who} may call`,
  mayNotCall: (who) => `${who} may not call`,
  roleNamed: (key) => `role ${key}`,
  userNamed: (name, key) => `${name} (${key})`,
  steps: Object.fromEntries(
    steps.map((step) => [step, (key: string) => `${step} ${key}`]),
  ) as AnswerTexts['steps'],
  differs: {
    method: (expected, actual) => `method ${expected} ${actual}`,
    segment: (place, expected, actual) => `segment ${place} ${expected} ${actual}`,
    missing: (place, expected) => `missing ${place} ${expected}`,
    extra: (place, actual) => `extra ${place} ${actual}`,
  },
  revision: (revision) => `revision ${revision}`,
};
const asked = { method: 'DELETE', path: '/orders/7' };
const answer: Explained = {
  decision: 'deny',
  step: 'no_rule',
  sentence: '',
  subject: {
    userId: 2,
    username: 'mei',
    roleKey: 'support',
    userEnabled: true,
    roleEnabled: true,
    passwordChangeRequired: false,
  },
  endpoint: null,
  rule: null,
  nearest: [
    {
      rule: { method: 'GET', path: '/users/:id' },
      differs: [
        { kind: 'method', expected: 'GET', actual: 'DELETE' },
        { kind: 'segment', place: 1, expected: 'users', actual: 'orders' },
      ],
    },
  ],
  revision: 3,
};

test('writes a refusal with the nearest rules and what differs', () => {
  expect(writeAnswer(words, asked, answer).split('\n')).toEqual([
    'Denied: mei (support) may not call DELETE /orders/7',
    'no_rule support',
    'Nearest:',
    '- GET /users/:id',
    '  method GET DELETE',
    '  segment 1 users orders',
    'revision 3',
  ]);
});

test('writes an allowance of a role with its rule', () => {
  const allowed: Explained = {
    ...answer,
    decision: 'allow',
    step: 'rule',
    subject: { ...answer.subject, userId: null, username: null, userEnabled: null },
    rule: { method: '*', path: '/orders/*' },
    nearest: [],
  };
  expect(writeAnswer(words, asked, allowed).split('\n')).toEqual([
    'Allowed: role support may call DELETE /orders/7',
    'rule support',
    'Rule: * /orders/*',
    'revision 3',
  ]);
});
