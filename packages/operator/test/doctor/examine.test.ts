// What cannot be planted on the machine of a test: old versions, and checks that fail or hang.

import { StartRefusal } from '@portcullis/server/base/values/start-refusal.ts';
import { describe, expect, it } from 'vitest';
import { checkInstances } from '../../src/doctor/access-checks.ts';
import { type Check, type CheckInput, warning, well, wrong } from '../../src/doctor/check.ts';
import type { InstanceFacts, ServerFacts } from '../../src/doctor/doctor-store.ts';
import { examine } from '../../src/doctor/examine.ts';
import { checkNode } from '../../src/doctor/host-checks.ts';
import { checkReplication, checkVersion } from '../../src/doctor/postgres-checks.ts';
import { drawScreen } from '../../src/doctor/screen.ts';

const input = {} as CheckInput;
const check = (id: string, run: Check['run'], more: Partial<Check> = {}): Check => ({
  id,
  group: 'host',
  title: id,
  run,
  ...more,
});
const statusesOf = async (checks: readonly Check[]) =>
  Object.fromEntries(
    (await examine(input, checks, 50)).map(({ id, status, text }) => [id, `${status} ${text}`]),
  );

describe('a check', () => {
  it('that hangs or throws fails alone, and the others run', async () => {
    const results = await examine(
      input,
      [
        check('hangs', () => new Promise(() => {})),
        check('throws', () => {
          throw new StartRefusal(['Do this.']);
        }),
        check('works', () => well('fine')),
      ],
      50,
    );
    expect(results.map(({ status, remedies }) => [status, ...remedies])).toEqual([
      ['wrong', expect.stringContaining('again')],
      ['wrong', 'Do this.'],
      ['well'],
    ]);
  });

  it('is skipped with the first reason where a needed check fails, and runs where the needed check only warns', async () => {
    expect(
      await statusesOf([
        check('server', () => wrong('gone', 'Start it.'), { obstacle: 'no server' }),
        check('tables', () => well(''), { needs: ['server'], obstacle: 'no tables' }),
        check('users', () => well(''), { needs: ['tables'] }),
        check('doubt', () => warning('odd', 'Look.')),
        check('after', () => well('fine'), { needs: ['doubt'] }),
      ]),
    ).toEqual({
      server: 'wrong gone',
      tables: 'skipped skipped: no server',
      users: 'skipped skipped: no server',
      doubt: 'warning odd',
      after: 'well fine',
    });
  });
});

describe('versions', () => {
  it.each(['22.19.0', '23.11.1'])('of Node like %s are too old', (version) => {
    expect(checkNode(version, '>=24')).toEqual(wrong(`${version} is too old`, 'Install Node 24 or later.'));
  });
  it('of Node from the least on are well', () => {
    expect(checkNode('24.0.0', '>=24').status).toBe('well');
    expect(checkNode('100.1.0', '>=24').status).toBe('well');
  });

  const postgres = (version: string, versionNumber: number) =>
    checkVersion({ version, versionNumber } as ServerFacts);
  it('of Postgres before 15 are too old', () => {
    expect(postgres('14.13 (Debian)', 140_013)).toEqual(
      wrong('14.13 is too old', 'Upgrade to Postgres 15 or later.'),
    );
    expect(postgres('15.0', 150_000).status).toBe('well');
  });
});

describe('standbys', () => {
  const facts = { synchronousCommit: 'on', synchronousStandbyNames: 'any 1 (s1, s2)', hasPatroni: false };
  const look = (found: Partial<ServerFacts>, durability: 'standby' | 'storage' = 'standby') =>
    checkReplication({ ...facts, ...found } as ServerFacts, durability);
  const replication = (standbys: number, synchronousStandbys: number | null, others = {}) =>
    look({ standbys, synchronousStandbys, listedStandbys: synchronousStandbys, ...others });
  it('that are connected, but not those that commits wait for, are wrong where the role may see it', () => {
    expect(replication(2, 0).status).toBe('wrong');
    expect(replication(0, null).status).toBe('wrong');
    expect(replication(2, null)).toEqual(well('2 standby connected'));
    expect(replication(2, 2)).toEqual(well('2 standby in step'));
  });
  it('of which none can be lost without stopping every check are to be looked at', () => {
    const warned = { status: 'warning', text: expect.stringMatching(/none to spare$/) };
    expect(replication(1, 1)).toMatchObject(warned);
    expect(replication(1, null)).toMatchObject(warned);
    // The second one is connected, but not in the list.
    expect(replication(2, 1)).toMatchObject(warned);
    expect(replication(2, 2, { synchronousStandbyNames: '2 (s1, s2)' })).toMatchObject(warned);
    expect(replication(2, 2, { synchronousStandbyNames: 'FIRST 2 (s1, s2)' })).toMatchObject(warned);
    // The second one waits for its turn.
    expect(replication(2, 1, { synchronousStandbyNames: 's1, s2', listedStandbys: 2 }).status).toBe('well');
  });
  it('are put into the list by Patroni, as long as there is another one', () => {
    expect(replication(2, 1, { synchronousStandbyNames: '"node2"', hasPatroni: true }).status).toBe('well');
    expect(replication(1, 1, { synchronousStandbyNames: '"node2"', hasPatroni: true }).status).toBe(
      'warning',
    );
  });
  it('are not missed where the storage itself is replicated', () => {
    const none = { synchronousStandbyNames: '', standbys: 0, synchronousStandbys: 0, listedStandbys: 0 };
    expect(look(none)).toMatchObject({ status: 'warning', text: 'no synchronous standby' });
    expect(look(none, 'storage')).toEqual(well('of the storage, as `database.durability` says'));
  });
});

describe('instances', () => {
  const instance: InstanceFacts = {
    version: '1',
    mode: 'prod',
    isStale: false,
    isBehind: false,
  };
  const look = (...others: Partial<InstanceFacts>[]) =>
    checkInstances([instance, ...others.map((other) => ({ ...instance, ...other }))], '1');
  it.each([
    ['of several modes', { mode: 'dev' }, 'wrong', /modes: prod, dev/],
    ['that have stopped', { isStale: true, mode: 'dev' }, 'warning', /1 of 2 stopped/],
    ['of several versions', { version: '2' }, 'warning', /versions: 1, 2/],
    ['that are behind', { isBehind: true }, 'warning', /1 of 2 are behind/],
  ] as const)('%s', (_what, other, status, text) => {
    expect(look(other)).toMatchObject({ status, text: expect.stringMatching(text) });
  });
  it('of another version than this program are to be looked at', () => {
    expect(checkInstances([instance], '2')).toMatchObject({ status: 'warning' });
    expect(checkInstances([], '2')).toEqual(well('none runs'));
  });
});

describe('the screen', () => {
  const draw = async (rows?: number) => {
    const checks = Array.from({ length: 30 }, (_, index) =>
      check(`check ${index}`, () => well('found this')),
    );
    const results = await examine(input, [...checks, check('odd', () => wrong('broken', 'Mend it.'))]);
    return drawScreen(results, { columns: 80, rows });
  };
  it('lists passed checks on one line where they would not fit, and every failed one in full', async () => {
    const screen = await draw(24);
    expect(screen.split('\n').length).toBeLessThan(24);
    expect(screen).toMatch(/✔ check 0, check 1, /);
    expect(screen).toMatch(/✖ odd +broken\n +→ Mend it\.\n\n 30 well, 1 wrong\. \(--all shows/);
  });
  it('names a group once, folds what says the same, and wraps at its width', async () => {
    const words = Array.from({ length: 12 }, () => 'twelve-words').join(' ');
    const checks = [
      check('first', () => well('fine')),
      check('second', () => well('fine')),
      check('third', () => well('')),
      check('fourth', () => well('')),
      check('a title of more than nineteen letters', () => well('is folded too')),
      check('lines', () => warning(`one\n${words}`, `${words}.`)),
      check('gone', () => wrong('lost', 'Find it.'), { group: 'access', obstacle: 'none' }),
      check('needs it', () => well(''), { group: 'access', needs: ['gone'] }),
      check('and this', () => well(''), { group: 'access', needs: ['gone'] }),
      check('odd', () => warning('none', 'Look.'), { group: 'access' }),
    ];
    const text = drawScreen(await examine(input, checks, 50), { columns: 80 });
    const margin = ' '.repeat(11);
    const indent = ' '.repeat(13);
    expect(text.split('\n').map((line) => line.replace(/^ (host|access) +/, ' $1 '))).toEqual([
      ' host ✔ first              fine',
      `${margin}✔ second             fine`,
      `${margin}✔ third, fourth`,
      `${margin}✔ a title of more than nineteen letters is folded too`,
      `${margin}! lines              one`,
      ...['twelve-words twelve-words twelve-words'].flatMap((line) =>
        Array(4).fill(`${indent}${' '.repeat(19)}${line}`),
      ),
      `${indent}→ ${Array(5).fill('twelve-words').join(' ')}`,
      `${indent}  ${Array(5).fill('twelve-words').join(' ')}`,
      `${indent}  twelve-words twelve-words.`,
      ' access ✖ gone               lost',
      `${indent}→ Find it.`,
      `${margin}- needs it, and this skipped: none`,
      `${margin}! odd                none`,
      `${indent}→ Look.`,
      '',
      ' 5 well, 2 to look at, 1 wrong, 2 skipped.',
    ]);
  });
  it('prints everything where there is room, or no terminal', async () => {
    for (const screen of [await draw(40), await draw()]) {
      expect(screen.match(/found this/g)).toHaveLength(30);
      expect(screen).toMatch(/\n 30 well, 1 wrong\.$/);
    }
  });
});
