import { describe, expect, it } from 'vitest';
import { applyChanges, decide, explain, matched } from '../src/index.ts';
import { decisionCases } from './decision-cases.ts';
import { rule, snapshotOf } from './rule.ts';

const snapshot = snapshotOf(
  'editor GET /',
  'editor GET /articles',
  'editor GET /articles/:id',
  'editor GET /articles/:article',
  'editor * /articles/:id',
  'editor GET /articles/new',
  'editor GET /articles/:id/comments',
  'editor * /articles/*',
  'editor GET /*',
);

const answers: readonly (readonly [request: string, rule: string])[] = [
  ['GET /', 'GET /'],
  ['GET /articles', 'GET /articles'],
  // A literal is more specific than a parameter, and a parameter than `*`.
  ['GET /articles/new', 'GET /articles/new'],
  ['GET /articles/news', 'GET /articles/:article'],
  ['GET /articles/new/comments', 'GET /articles/:id/comments'],
  ['GET /articles/7/comments', 'GET /articles/:id/comments'],
  ['GET /articles/7/likes', '* /articles/*'],
  ['GET /other/7', 'GET /*'],
  // One method is more specific than all methods.
  ['PUT /articles/7', '* /articles/:id'],
  // The literal `new` has no rule for this method, so the walk goes back.
  ['PUT /articles/new', '* /articles/:id'],
  ['DELETE /articles/7/comments', '* /articles/*'],
];

describe('matched', () => {
  it.each(answers)('names the most specific rule for %s', (request, expected) => {
    const [method = '', path = ''] = request.split(' ');
    const found = matched(snapshot, 'editor', method, path);
    expect(found && `${found.method} ${found.path}`).toBe(expected);
    expect(found).toEqual(explain(snapshot, { roleKey: 'editor', method, path }).rule);
  });

  it.each(decisionCases)('$title: names a rule exactly if the engine allows', ({ rules, deny, allow }) => {
    const made = snapshotOf(...rules);
    for (const line of [...deny, ...allow]) {
      const [roleKey = '', method = '', ...rest] = line.split(' ');
      const path = rest.join(' ');
      const found = matched(made, roleKey, method, path);
      expect(found !== undefined, line).toBe(decide(made, roleKey, method, path) === 'allow');
    }
  });

  it('names the rules of the newest snapshot', () => {
    expect(matched(snapshot, 'editor', 'GET', '/articles/new')?.path).toBe('/articles/new');
    const removed = [rule('editor GET /articles/new')];
    const next = applyChanges(snapshot, { added: [], removed, revision: 2 });
    expect(matched(next, 'editor', 'GET', '/articles/new')?.path).toBe('/articles/:article');
    expect(matched(snapshot, 'editor', 'GET', '/articles/new')?.path).toBe('/articles/new');
  });

  it('names the right rule after the roles moved to another block', () => {
    const added = Array.from({ length: 4000 }, (_, n) => rule(`role${n} GET /${'long'.repeat(10)}/${n}`));
    expect(matched(snapshot, 'editor', 'GET', '/articles/7/comments')?.path).toBe('/articles/:id/comments');
    const moved = applyChanges(snapshot, { added, removed: [], revision: 2 });
    expect(moved.packed.block).not.toBe(snapshot.packed.block);
    expect(matched(moved, 'editor', 'GET', '/articles/7/comments')?.path).toBe('/articles/:id/comments');
    expect(matched(moved, 'role3999', 'GET', `/${'long'.repeat(10)}/3999`)?.roleKey).toBe('role3999');
  });
});
