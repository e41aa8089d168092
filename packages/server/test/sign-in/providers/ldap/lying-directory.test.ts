// A directory that hangs, lies or answers without end, behind a certificate that is right.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../../../test/rig/certificates.ts';
import {
  type Answering,
  type Asked,
  bindResult,
  extendedResult,
  type FalseDirectory,
  message,
  obliging,
  searchDone,
  searchEntry,
  searchReference,
  startFalseDirectory,
} from '../../../../../../test/rig/false-directory.ts';
import { anyAddress } from '../../../../src/base/outbound/allowed-addresses.ts';
import { createConnect } from '../../../../src/base/outbound/checked-connection.ts';
import { createHostResolver } from '../../../../src/base/outbound/host-resolver.ts';
import { UnansweredAttempt } from '../../../../src/sign-in/login/throttle/unanswered-attempt.ts';
import { createDirectories } from '../../../../src/sign-in/providers/ldap/directories.ts';
import { createDirectory } from '../../../../src/sign-in/providers/ldap/directory.ts';

let folder: string;
let ca: string;
let directory: FalseDirectory;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-liar-'));
  const authority = await createAuthority(folder);
  ca = authority.certificate;
  directory = await startFalseDirectory({ certificate: await authority.issue('localhost') });
});
afterAll(async () => {
  await directory?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => directory.answer(obliging));

const connect = createConnect({ addresses: anyAddress, resolve: createHostResolver() });
const open = (url = directory.url, times = {}) =>
  createDirectory({
    settings: { url, dialect: 'ldap', ca, bindDn: 'cn=reader,dc=test', baseDn: 'dc=test' },
    readerPassword: 'reader',
    connect,
    now: Date.now,
    connectMilliseconds: 300,
    loginMilliseconds: 600,
    ...times,
  });
const logIn = (url?: string) => open(url).authenticate({ username: 'anna' }, 'right');

const anna = {
  uid: ['anna'],
  entryUUID: ['11111111-1111-4111-8111-111111111111'],
  cn: ['Anna'],
};
/** What it answers to a search; to all else it obliges. */
const searching =
  (answer: Answering): Answering =>
  (asked, socket) =>
    asked.operation === 'search' ? answer(asked, socket) : obliging(asked, socket);
const found = (id: number, attributes: Readonly<Record<string, readonly string[]>> = anna) => [
  searchEntry(id, 'uid=anna,dc=test', attributes),
  searchDone(id),
];

/** The result of a bind that the first word says; undefined for no answer. */
const codeOf = (what: string) =>
  new Map([
    ['busy', 51],
    ['unavailable', 52],
    ['in', 80],
  ]).get(/^\w+/.exec(what)?.[0] ?? '');

it('accepts a login with correct answers of the directory, on both ways to TLS', async () => {
  directory.answer(searching(({ id }) => found(id)));
  expect((await logIn())?.username).toBe('anna');
  expect((await logIn(directory.startTlsUrl))?.username).toBe('anna');
});

describe('a directory that hangs is away', () => {
  it.each([
    ['before it knows its reader', () => undefined],
    ['in a search', searching(() => undefined)],
    [
      'in the middle of an answer',
      searching(({ id }) => [searchEntry(id, 'uid=anna,dc=test', anna).subarray(0, 20)]),
    ],
    ['behind an entry', searching(({ id }) => [searchEntry(id, 'uid=anna,dc=test', anna)])],
  ] as readonly [string, Answering][])('%s', async (_where, answer) => {
    directory.answer(answer);
    const startedAt = performance.now();
    await expect(logIn()).rejects.toMatchObject({ reason: 'slow' });
    expect(performance.now() - startedAt).toBeLessThan(1500);
  });

  it.each([
    ['away, after the password was sent', UnansweredAttempt],
    ['in trouble, after the password was sent', UnansweredAttempt],
    ['busy, after the password was sent', AppError],
    ['unavailable, after the password was sent', AppError],
    ['away, before the password was sent', AppError],
  ])('and the login says whether it was %s', async (what, kind) => {
    const isPersons = ({ bytes }: Asked) => bytes.includes('uid=anna,dc=test');
    directory.answer((asked, socket) => {
      if (asked.operation === 'search') return what.includes('before') ? undefined : found(asked.id);
      if (asked.operation === 'bind' && isPersons(asked))
        return codeOf(what) === undefined ? undefined : [bindResult(asked.id, codeOf(what))];
      return obliging(asked, socket);
    });
    const directories = createDirectories({
      secrets: { open: () => 'reader' } as never,
      now: Date.now,
      connect,
      reportUnavailable: () => {},
      reportLimits: () => {},
    });
    const settings = {
      url: directory.url,
      dialect: 'ldap',
      ca,
      bindDn: 'cn=reader,dc=test',
      baseDn: 'dc=test',
    };
    const asking = directories.ask({ id: 1, key: 'corp', settings } as never, ({ authenticate }) =>
      authenticate({ username: 'anna' }, 'right'),
    );
    await expect(asking).rejects.toMatchObject({ kind: 'provider_unavailable' });
    expect((await asking.catch((error: unknown) => error))?.constructor).toBe(kind);
  });

  it('drop by drop', async () => {
    directory.answer(
      searching(({ id }, socket) => {
        const bytes = searchEntry(id, 'uid=anna,dc=test', anna);
        let at = 0;
        const timer = setInterval(() => {
          socket.write(bytes.subarray(at, at + 1));
          at += 1;
        }, 20);
        socket.once('close', () => clearInterval(timer));
        return [];
      }),
    );
    await expect(logIn()).rejects.toMatchObject({ reason: 'slow' });
  });

  it('before the answer to StartTLS', async () => {
    directory.answer(() => undefined);
    await expect(logIn(directory.startTlsUrl)).rejects.toMatchObject({ reason: 'slow' });
  });
});

it('ignores in a recheck a person who was not requested, and one without a subject', async () => {
  const bert = { ...anna, uid: ['bert'], entryUUID: ['22222222-2222-4222-8222-222222222222'] };
  directory.answer(
    searching(({ id }) => [
      ...[anna, bert, { uid: ['carl'] }].map((each) => searchEntry(id, `uid=${each.uid[0]},dc=test`, each)),
      searchDone(id),
    ]),
  );
  const people = await open().findAll(anna.entryUUID, { withGroups: false });
  expect(people.map(({ subject }) => subject)).toEqual(anna.entryUUID);
});

it('a recheck fails where the reader cannot see the base, and does not find that all people have left', async () => {
  const isBaseSearch = ({ bytes }: Asked) =>
    bytes.includes(Buffer.concat([Buffer.from('dc=test'), Buffer.from([0x0a, 1, 0])]));
  const noSuchObject = 32;
  directory.answer(
    searching((asked) =>
      isBaseSearch(asked) ? [searchDone(asked.id, noSuchObject)] : [searchDone(asked.id)],
    ),
  );
  await expect(open().findAll(anna.entryUUID, { withGroups: false })).rejects.toMatchObject({
    name: 'DirectoryUnavailable',
  });
});

it.each([
  ['active', 20_000],
  ['expired', 20_001],
])('an account that ends on a day is %s on day %s, by the clock that is given', async (state, day) => {
  directory.answer(searching(({ id }) => found(id, { ...anna, shadowExpire: ['20001'] })));
  const directories = createDirectories({
    secrets: { open: () => 'reader' } as never,
    now: () => day * 86_400_000,
    connect,
    reportUnavailable: () => {},
    reportLimits: () => {},
  });
  const settings = {
    url: directory.url,
    dialect: 'ldap',
    ca,
    bindDn: 'cn=reader,dc=test',
    baseDn: 'dc=test',
  };
  const people = await directories.ask({ id: 1, key: 'corp', settings } as never, ({ findAll }) =>
    findAll(anna.entryUUID, { withGroups: false }),
  );
  expect(people.map((person) => person.state)).toEqual([state]);
});

it('a recheck asks for no attribute that people may write about themselves', async () => {
  directory.answer(searching(({ id }) => found(id)));
  await open().findAll(anna.entryUUID, { withGroups: true });
  const asked = directory.asked.filter(({ operation }) => operation === 'search').slice(-2);
  // As an LDAP string: its tag, its length, its text.
  const isNamed = (attribute: string) =>
    asked.some(({ bytes }) => bytes.includes(Buffer.from([4, attribute.length, ...Buffer.from(attribute)])));
  expect(['uid', 'entryUUID', 'memberOf'].map(isNamed)).toEqual([true, true, true]);
  expect(['cn', 'displayName', 'description', '*'].map(isNamed)).toEqual([false, false, false, false]);
});

describe('an unusable answer', () => {
  it.each([
    ['one entry of a megabyte', ({ id }) => found(id, { ...anna, cn: ['x'.repeat(2 ** 20)] })],
    [
      'twenty thousand entries',
      ({ id }) => Array.from({ length: 20_000 }, () => searchEntry(id, 'uid=anna,dc=test', anna)),
    ],
    [
      'references without end',
      ({ id }) => Array.from({ length: 60_000 }, () => searchReference(id, 'ldap://elsewhere/')),
    ],
  ] as readonly [string, Answering][])('gives up on %s', async (_what, answer) => {
    directory.answer(searching(answer));
    await expect(
      open(directory.url, { loginMilliseconds: 30_000 }).authenticate({ username: 'anna' }, 'right'),
    ).rejects.toMatchObject({ reason: 'too_much' });
  });

  it('survives thousands of messages in one packet', async () => {
    const tiny = message(77, (writer) => {
      writer.startSequence(0x73);
      writer.endSequence();
    });
    directory.answer(searching(({ id }) => [Buffer.concat([...Array(100_000).fill(tiny), ...found(id)])]));
    await logIn().catch(() => {});
    directory.answer(searching(({ id }) => found(id)));
    expect((await logIn())?.username).toBe('anna');
  });

  it('survives whatever bytes come', async () => {
    let state = 7;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state;
    };
    for (let trial = 0; trial < 60; trial += 1) {
      directory.answer(
        searching(({ id }) => {
          const bytes = Buffer.concat(found(id));
          for (let flips = 0; flips < 4; flips += 1) bytes[random() % bytes.length] = random() % 256;
          return [bytes, searchDone(id)];
        }),
      );
      await open(directory.url, { loginMilliseconds: 60 })
        .authenticate({ username: 'anna' }, 'right')
        .catch((error: unknown) => expect(error).toMatchObject({ name: 'DirectoryUnavailable' }));
    }
  });

  it.each([
    ['an entry of another person', { ...anna, uid: ['bert'] }],
    ['an entry with two names', { ...anna, uid: ['anna', 'bert'] }],
    ['an entry without a subject', { uid: ['anna'] }],
    ['a subject that is none', { ...anna, entryUUID: ['1'] }],
  ])('returns no person for %s', async (_what, attributes) => {
    directory.answer(searching(({ id }) => found(id, attributes)));
    expect(await logIn()).toBeUndefined();
  });

  it('returns no person for a subject other than the requested one', async () => {
    directory.answer(searching(({ id }) => found(id)));
    const subject = '22222222-2222-4222-8222-222222222222';
    expect(await open().authenticate({ subject }, 'right')).toBeUndefined();
    expect(await open().authenticate({ subject: anna.entryUUID[0] ?? '' }, 'right')).toBeDefined();
  });
});

describe('a referral to another server', () => {
  it('is not asked: neither in a search nor for a password', async () => {
    directory.answer(searching(({ id }) => [searchReference(id, directory.url), searchDone(id)]));
    const before = directory.connections;
    expect(await logIn()).toBeUndefined();
    // The reader's, and the one that takes as long for an unknown name.
    expect(directory.connections - before).toBe(2);
    directory.answer(searching(({ id }) => [searchDone(id, 10)]));
    await expect(logIn()).rejects.toMatchObject({ reason: 'referral' });
    let binds = 0;
    directory.answer((asked, socket) => {
      if (asked.operation === 'search') return found(asked.id);
      if (asked.operation !== 'bind') return obliging(asked, socket);
      binds += 1;
      return [bindResult(asked.id, binds === 1 ? 0 : 10)];
    });
    await expect(logIn()).rejects.toMatchObject({ reason: 'referral' });
  });
});

describe('StartTLS', () => {
  it.each([
    ['refused', ({ id }) => [extendedResult(id, 2)]],
    ['answered with more behind it', ({ id }) => [Buffer.concat([extendedResult(id), bindResult(2)])]],
    ['answered for another message', () => [extendedResult(7)]],
    ['answered as a bind', ({ id }) => [bindResult(id)]],
    ['answered with what is no message', () => [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]],
  ] as readonly [string, Answering][])('%s is the end of the connection', async (_what, answer) => {
    directory.answer((asked, socket) =>
      asked.operation === 'extended' ? answer(asked, socket) : obliging(asked, socket),
    );
    const asked = directory.asked.length;
    await expect(logIn(directory.startTlsUrl)).rejects.toMatchObject({ name: 'DirectoryUnavailable' });
    expect(directory.asked.slice(asked).map(({ operation }) => operation)).not.toContain('bind');
  });
});
