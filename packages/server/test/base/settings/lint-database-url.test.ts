import { expect, it } from 'vitest';
import { lintDatabaseUrl } from '../../../src/base/settings/lint-database-url.ts';

it.each(['mysql://root@127.0.0.1/admin', 'mariadb://x/y', 'http://127.0.0.1:5432', 'jdbc:postgresql://x/y'])(
  'refuses %s, and says what to write',
  (url) => {
    expect(lintDatabaseUrl({ url })).toEqual([expect.stringContaining('Write it as `postgres://')]);
  },
);

it.each(['postgres://u:p@h:5432/n', 'postgresql:///n?host=/run', 'socket:/run/postgresql', '/run n', ''])(
  'takes %j',
  (url) => {
    expect(lintDatabaseUrl({ url })).toEqual([]);
  },
);

it('repeats nothing of the URL but its scheme', () => {
  expect(String(lintDatabaseUrl({ url: 'mysql://root:hidden@10.0.0.1/x' }))).not.toMatch(/hidden|10\.0/);
});
