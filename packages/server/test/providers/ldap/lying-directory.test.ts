// A directory that hangs, lies or answers without end, behind a certificate that is right.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../../test/rig/certificates.ts';
import {
  type Answering,
  bindResult,
  extendedResult,
  type FalseDirectory,
  message,
  obliging,
  searchDone,
  searchEntry,
  searchReference,
  startFalseDirectory,
} from '../../../../../test/rig/false-directory.ts';
import { createDirectory } from '../../../src/providers/ldap/directory.ts';
import { createHostLookup } from '../../../src/providers/ldap/host-lookup.ts';

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

const lookup = createHostLookup({ monotonic: () => performance.now() });
const open = (url = directory.url, times = {}) =>
  createDirectory({
    settings: { url, dialect: 'ldap', ca, readerDn: 'cn=reader,dc=test', baseDn: 'dc=test' },
    readerPassword: 'reader',
    lookup,
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

it('lets somebody in where the directory tells the truth, on both ways to TLS', async () => {
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

describe('an answer that nobody can go by', () => {
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
        .catch((error: unknown) => expect(error).toMatchObject({ name: 'DirectoryAway' }));
    }
  });

  it.each([
    ['an entry of somebody else', { ...anna, uid: ['bert'] }],
    ['an entry with two names', { ...anna, uid: ['anna', 'bert'] }],
    ['an entry without a subject', { uid: ['anna'] }],
    ['a subject that is none', { ...anna, entryUUID: ['1'] }],
  ])('takes %s for nobody', async (_what, attributes) => {
    directory.answer(searching(({ id }) => found(id, attributes)));
    expect(await logIn()).toBeUndefined();
  });

  it('takes another subject than was asked for for nobody', async () => {
    directory.answer(searching(({ id }) => found(id)));
    const subject = '22222222-2222-4222-8222-222222222222';
    expect(await open().authenticate({ subject }, 'right')).toBeUndefined();
    expect(await open().authenticate({ subject: anna.entryUUID[0] ?? '' }, 'right')).toBeDefined();
  });
});

describe('what is somewhere else', () => {
  it('is not asked: neither in a search nor for a password', async () => {
    directory.answer(searching(({ id }) => [searchReference(id, directory.url), searchDone(id)]));
    const before = directory.connections;
    expect(await logIn()).toBeUndefined();
    // The reader's, and the one that takes as long for nobody.
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
    await expect(logIn(directory.startTlsUrl)).rejects.toMatchObject({ name: 'DirectoryAway' });
    expect(directory.asked.slice(asked).map(({ operation }) => operation)).not.toContain('bind');
  });
});
