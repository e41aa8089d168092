import { expect, it } from 'vitest';
import { compareSnapshots } from '../src/index.ts';
import { rule, snapshotOf } from './rule.ts';

function compared(before: string[], after: string[]) {
  return compareSnapshots(snapshotOf(...before), snapshotOf(...after)).map(({ roleKey, gains, losses }) => ({
    roleKey,
    gains: gains.map(({ method, path }) => `${method} ${path}`),
    losses: losses.map(({ method, path }) => `${method} ${path}`),
  }));
}

it('lists gains and losses role by role', () => {
  const before = ['reader GET /a', 'editor GET /a', 'editor PUT /a', 'guest GET /a'];
  const after = ['reader GET /a', 'editor GET /a', 'editor POST /a', 'writer GET /b'];
  expect(compared(before, after)).toEqual([
    { roleKey: 'editor', gains: ['POST /a'], losses: ['PUT /a'] },
    { roleKey: 'guest', gains: [], losses: ['GET /a'] },
    { roleKey: 'writer', gains: ['GET /b'], losses: [] },
  ]);
});

it('finds nothing between a snapshot and itself', () => {
  const snapshot = snapshotOf('editor GET /a');
  expect(compareSnapshots(snapshot, snapshot)).toEqual([]);
});

// Each line: a rule that is there on one side only, and rules that are there on both sides.
it.each([
  ['editor GET /a/:x', ['editor GET /a/:y']],
  ['editor GET /a/b', ['editor GET /a/:x']],
  ['editor GET /a/b', ['editor GET /a/*']],
  ['editor GET /a/b/c', ['editor GET /a/*']],
  ['editor GET /a/:x', ['editor GET /a/*']],
  ['editor GET /a/b/*', ['editor GET /a/*']],
  ['editor GET /a', ['editor GET /:x']],
  ['editor GET /a', ['editor * /a']],
  ['editor * /a', 'GET POST PUT PATCH DELETE HEAD OPTIONS'.split(' ').map((method) => `editor ${method} /a`)],
])('takes %s as no gain and no loss where a rule already covers it', (line, both) => {
  expect(compared(both, [...both, line])).toEqual([]);
  expect(compared([...both, line], both)).toEqual([]);
});

it.each([
  ['editor GET /a/:x', ['editor GET /a/b']],
  ['editor GET /a/*', ['editor GET /a/:x', 'editor GET /a/:x/*']],
  ['editor GET /a', ['editor GET /a/*']],
  ['editor GET /', ['editor GET /*', 'editor GET /:x']],
  ['editor GET /a/b', ['editor GET /a', 'editor GET /:x', 'editor GET /a/b/c']],
  ['editor GET /a', ['editor PUT /a', 'reader GET /a']],
  ['editor * /a', 'GET POST PUT PATCH DELETE HEAD'.split(' ').map((method) => `editor ${method} /a`)],
])('takes %s as a gain, and taken away as a loss, where no rule covers it', (line, both) => {
  const { method, path } = rule(line);
  expect(compared(both, [...both, line])).toEqual([
    { roleKey: 'editor', gains: [`${method} ${path}`], losses: [] },
  ]);
  expect(compared([...both, line], both)).toEqual([
    { roleKey: 'editor', gains: [], losses: [`${method} ${path}`] },
  ]);
});
