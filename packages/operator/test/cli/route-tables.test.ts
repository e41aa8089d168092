import { describe, expect, it } from 'vitest';
import { showReport, showRoutes } from '../../src/cli/commands/route-tables.ts';

it('explains how to import routes where there are none', () => {
  expect(showRoutes([])).toBe(
    'There are no routes. Import them with `portcullis routes import <file> --service <name>`.',
  );
});

describe('a report', () => {
  const empty = {
    adminOnly: { count: 0, items: [] },
    unmatchedRules: { count: 0, items: [] },
    complete: true,
  };

  it('of which not all is shown says how much more there is', () => {
    const unmatchedRules = { count: 3, items: [{ roleKey: 'editor', method: 'GET', path: '/a' }] };
    expect(showReport({ ...empty, unmatchedRules })).toBe(
      [
        'Routes that only admin can call: 0',
        'Rules that match no route: 3',
        '  editor  GET  /a',
        '  ... and 2 more',
      ].join('\n'),
    );
  });

  it('shows no control character of a stored rule', () => {
    const unmatchedRules = { count: 1, items: [{ roleKey: 'editor', method: 'GET', path: '/\u001b[31m\n' }] };
    expect(showReport({ ...empty, unmatchedRules })).toContain('  editor  GET  /?[31m?');
  });

  it('that was given up says so', () => {
    expect(showReport({ ...empty, complete: false })).toContain('abandoned');
  });
});
