import { expect, it } from 'vitest';
import { listRoles, listRules } from '../src/index.ts';
import { rule, snapshotOf } from './rule.ts';

it('lists no rules for an unknown role', () => {
  expect(listRules(snapshotOf('editor GET /a'), 'reader')).toEqual([]);
  expect(listRules(snapshotOf('editor GET /a'), '__proto__')).toEqual([]);
});

it('lists the rules of a role by path, then by method', () => {
  const lines = [
    'editor PUT /b',
    'editor GET /b',
    'reader GET /a',
    'editor GET /a/:id',
    'editor * /a',
    'editor GET /a',
  ];
  expect(listRules(snapshotOf(...lines), 'editor')).toEqual(
    ['editor * /a', 'editor GET /a', 'editor GET /a/:id', 'editor GET /b', 'editor PUT /b'].map(rule),
  );
});

it('lists the roles that have a rule, in order', () => {
  expect(listRoles(snapshotOf('reader GET /a', 'editor GET /a', 'editor GET /b'))).toEqual([
    'editor',
    'reader',
  ]);
});
