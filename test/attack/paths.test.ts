// docs/explanation/security.md: getting past the permission check by path and method. T47, T50 and T51 are the policy package's.
// Every spelling of every protected route is sent as it is to a real server, by a role without any rule; no handler
// may be entered and every answer must be the one that is due.
import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isJudged } from '../rig/judges-times.ts';
import { startServer } from '../rig/start-server.ts';
import { useService } from '../rig/use-service.ts';
import { everyNth } from './paths/every-nth.ts';
import { evilPatterns } from './paths/evil-patterns.ts';
import {
  absoluteForms,
  caseFlips,
  confusables,
  dotSegments,
  encodedLetters,
  inserted,
  methodHeaders,
  overrides,
} from './paths/mutators.ts';
import { bytesOf, expectDue, type Line } from './paths/probe.ts';
import { sendAll } from './paths/raw-client.ts';
import { protectedRoutes, servedRoutes } from './paths/routes.ts';
import { forceRules, slowestCheck } from './paths/stored-patterns.ts';
import { size } from './size.ts';

const service = useService({ mode: 'prod' });

/** Of thousands of spellings, so many that each has several routes. */
const fewSpellings = 1200;
function linesOf(mutate: (path: string) => readonly string[]): Line[] {
  const lines = protectedRoutes.flatMap(({ method, path }) =>
    mutate(path).map((target) => ({ method, target })),
  );
  return everyNth(lines, size({ small: fewSpellings, full: lines.length }));
}
const hex = (code: number) => `%${code.toString(16).padStart(2, '0')}`;

describe('a role without a rule reaches no handler', () => {
  it('T34 by a letter that is percent-encoded, in either case of hex', async () => {
    await expectDue(
      service(),
      'gina',
      linesOf((path) => encodedLetters(path, 1)),
    );
  });

  it('T35 by two and three layers of encoding', async () => {
    await expectDue(
      service(),
      'gina',
      linesOf((path) => [...encodedLetters(path, 2), ...encodedLetters(path, 3)]),
    );
  });

  it('T36 by a slash or backslash, encoded or raw, anywhere', async () => {
    const parts = ['%2f', '%2F', '%5c', '%5C', '\\', '%252f', '%c0%af'];
    await expectDue(
      service(),
      'gina',
      linesOf((path) => inserted(path, parts)),
    );
  });

  it('T37 by more slashes than there are', async () => {
    const more = (path: string) =>
      [...path.matchAll(/\//g)].flatMap(({ index }) =>
        ['/', '//', '///'].map((slashes) => path.slice(0, index) + slashes + path.slice(index)),
      );
    await expectDue(
      service(),
      'gina',
      linesOf((path) => [...more(path), `${path}/`, `${path}//`]),
    );
  });

  it('T39 by dot segments, raw or encoded, anywhere', async () => {
    await expectDue(service(), 'gina', linesOf(dotSegments));
  });

  it('T40 by matrix parameters anywhere', async () => {
    await expectDue(
      service(),
      'gina',
      linesOf((path) => inserted(path, [';', ';a=b', '%3B', '%3b', ';/', '..;'])),
    );
  });

  it('T41 by a fragment anywhere', async () => {
    await expectDue(
      service(),
      'gina',
      linesOf((path) => inserted(path, ['#', '#/', '#/../', '?#', '%23'])),
    );
  });

  it('T42 by an absolute or authority form', async () => {
    expect(new Set(absoluteForms('/x')).size).toBeGreaterThanOrEqual(20);
    await expectDue(service(), 'gina', linesOf(absoluteForms));
  });

  it('T43 by another case, or letters that only look alike', async () => {
    await expectDue(
      service(),
      'gina',
      linesOf((path) => [...caseFlips(path), ...confusables(path)]),
    );
  });

  it('T44 by any byte, raw or encoded, at the beginning, in the middle and at the end', async () => {
    const bytes = Array.from({ length: 256 }, (_, code) => code);
    const places = (path: string) => [1, path.lastIndexOf('/') + 1, path.length];
    const lines = protectedRoutes.slice(0, 20).flatMap(({ method, path }) =>
      places(path).flatMap((place) =>
        [
          ...bytes.flatMap((code) => [String.fromCharCode(code), hex(code), hex(code).toUpperCase()]),
          '%c0%ae',
          '%e0%80%ae',
          '%ed%a0%80',
          '%ff%fe',
          '\xc0\xae',
          '\xed\xa0\x80',
          '%u002e',
          '%',
          '%2',
          '%zz',
        ].map((part) => ({
          method,
          target: path.slice(0, place) + part + path.slice(place),
        })),
      ),
    );
    // A separate line end would be another request: T25 is about those.
    const single = lines.filter(({ target }) => !/[\r\n]/.test(target));
    await expectDue(
      service(),
      'gina',
      everyNth(single, size({ small: 3 * fewSpellings, full: single.length })),
    );
  });

  it('T52 through a public path', async () => {
    const open = [
      '/api/v1/greeting',
      '/api/v1/getCaptcha',
      '/api/v1/login',
      '/api/v1/public',
      '/api/v1/user/profile',
    ];
    const up = ['/..', '/../..', '/%2e%2e', '/..%2f', '/..;', '/.%2e', '\\..'];
    const detours = (path: string) =>
      open.flatMap((start) =>
        up.flatMap((way) => [`${start}${way}${path.slice('/api/v1'.length)}`, `${start}${way}${way}${path}`]),
      );
    await expectDue(service(), 'gina', linesOf(detours));
  });

  it('T46 by a header or parameter that names another method or path', async () => {
    const lines = overrides(protectedRoutes);
    await expectDue(service(), 'gina', everyNth(lines, size({ small: fewSpellings, full: lines.length })));
  });
});

it('T46 a header or parameter that names another method leads to the handler of the method that was sent', async () => {
  const token = await service().tokenOf('carl');
  const target = '/api/v1/orders/7';
  const lines: Line[] = [
    ...methodHeaders.map((header) => ({ method: 'GET', target, headers: `${header}: DELETE\r\n` })),
    { method: 'GET', target: `${target}?_method=DELETE&X-HTTP-Method-Override=DELETE` },
  ];
  const answers = await sendAll(
    service().server.port,
    lines.map((line) => bytesOf(line, token)),
  );
  expect(new Set(answers.map(({ text }) => /"done":"(\w+)/.exec(text)?.[1]))).toEqual(new Set(['showed']));
});

describe('a slash at the end', () => {
  it('T38 leads neither from a list to its items nor back', async () => {
    const paths = [
      '/api/v1/orders/',
      '/api/v1/orders/7/',
      '/api/v1/reports/2024/',
      '/api/v1/reports/2024/05/',
      '/api/v1/reports/',
    ];
    for (const username of ['carl', 'alba'] as const)
      await expectDue(
        service(),
        username,
        paths.flatMap((target) => ['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({ method, target }))),
      );
  });

  it('T38 a rule for the items does not open the list, nor one for the list its items', async () => {
    await expectDue(service(), 'alba', [
      { method: 'GET', target: '/api/v1/orders' },
      { method: 'POST', target: '/api/v1/orders' },
    ]);
    await expectDue(service(), 'carl', [
      { method: 'DELETE', target: '/api/v1/orders/7' },
      { method: 'PUT', target: '/api/v1/orders/7' },
    ]);
  });
});

describe('a method', () => {
  const strange = [
    'get',
    'Get',
    'GET\t',
    'GETT',
    'G',
    'FETCH',
    '*',
    'GET\0',
    'HEAD ',
    'X-GET',
    'PRI',
    'P\xd6ST',
  ];

  it.each(['gina', 'carl', 'alba'] as const)(
    'T45 of all that Node knows gets the right answer on every route (%s)',
    async (username) => {
      const lines = servedRoutes.flatMap(({ path }) => METHODS.map((method) => ({ method, target: path })));
      // These would end the token that the others are sent with, wait for the end of the process, or fail on purpose.
      const harmless = lines.filter(
        ({ method, target }) => method !== 'POST' || !/\/(logout|waits|faults)$/.test(target),
      );
      expect(METHODS.length).toBeGreaterThanOrEqual(34);
      await expectDue(service(), username, harmless);
    },
  );

  it('T45 that is spelt strangely is no method at all', async () => {
    const lines = protectedRoutes.flatMap(({ path }) => strange.map((method) => ({ method, target: path })));
    await expectDue(service(), 'gina', lines);
    await expectDue(service(), 'carl', lines);
  });
});

describe('a stored pattern', () => {
  const addRule = (path: string) => ({
    method: 'POST',
    target: '/api/v1/roles/5/rules',
    body: JSON.stringify({ add: [{ method: 'GET', path }] }),
  });

  it('T48 of a thousand evil ones is refused on write', async () => {
    expect(evilPatterns.length).toBeGreaterThanOrEqual(1000);
    const token = await service().tokenOf('ada');
    const answers = await sendAll(
      service().server.port,
      evilPatterns.map((path) => bytesOf(addRule(path), token)),
    );
    const taken = evilPatterns.filter((_, index) => answers[index]?.reason !== 'params_invalid');
    expect(taken).toEqual([]);
    expect(await service().database.query('select 1 from rules where role_id = 5')).toEqual([]);
  });

  it('T48, T49 that was forced into the database is reported and ignored, and the others apply', async () => {
    const { database, server } = service();
    await forceRules(database, 'guest', evilPatterns);
    const reported = /"path":"\/foo\/:\/bar".*not in force/;
    await server.process.waitForLine(reported);
    const fresh = await startServer({ databaseUrl: database.url });
    try {
      await fresh.process.waitForLine(reported);
      expect(fresh.process.output.match(/a stored rule is not in force/g)).toHaveLength(evilPatterns.length);
      const hangs = ['/foo/x', '/foo/x/bar', `/a/${'x'.repeat(28)}`, `/api/v1/orders/${'x'.repeat(28)}`];
      const good = ['/api/v1/orders', '/api/v1/orders/7'];
      for (const port of [server.port, fresh.port]) {
        const slowest = await slowestCheck(port, await service().tokenOf('carl'), [...good, ...hangs]);
        console.log(`the slowest check took ${slowest.toFixed(1)} ms at its fastest`);
        if (isJudged('the slowest check of a rule that was forced')) expect(slowest).toBeLessThan(1000);
      }
      await expectDue(
        service(),
        'gina',
        linesOf((path) => [path]),
      );
      await expectDue(
        service(),
        'carl',
        good.map((target) => ({ method: 'GET', target })),
      );
    } finally {
      await fresh.stop();
    }
  });
});
