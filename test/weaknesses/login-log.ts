// The login log: stored before the answer, bound into a chain, read within the data scope.
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const loginLog = `${src}/logs/login-log/login-log.ts`;
const loginLogTest = `${test}/logs/login-log/login-log.test.ts`;
const chain = `${src}/logs/login-log/chain.ts`;
const chainTest = `${test}/logs/login-log/chain.test.ts`;
const chainWalk = `${src}/logs/evidence/chain-walk.ts`;
const verifier = `${src}/logs/evidence/verifier.ts`;
const segment = `${src}/logs/login-log/spool/segment.ts`;
const segmentTest = `${test}/logs/login-log/spool/segment.test.ts`;
const spoolTest = `${test}/logs/login-log/spool/spool.test.ts`;

export const loginLogWeaknesses: readonly Weakness[] = [
  {
    name: 'a name that no account has is logged as it was typed',
    file: `${src}/logs/login-log/login-record.ts`,
    before: '(userId !== undefined && usernameShape.test(username))',
    after: 'usernameShape.test(username)',
    seenBy: [`${test}/logs/login-log/login-record.test.ts`],
  },
  {
    name: 'failed attempts are dropped where the spool is full',
    file: loginLog,
    before: 'return direct(row);',
    after: "return record.outcome === 'success' ? direct(row) : undefined;",
    seenBy: [loginLogTest],
  },
  {
    name: 'a spool without room is not reported while the database answers',
    file: loginLog,
    before: 'noteBypass(cause);',
    after: '',
    seenBy: [loginLogTest],
  },
  {
    name: 'a login that can be recorded nowhere succeeds',
    file: loginLog,
    before: "throw new AppError('unavailable', { cause });",
    after: '',
    seenBy: [loginLogTest],
  },
  {
    name: 'the chain does not bind the location',
    file: chain,
    before: '...boundColumnsOf(row).map(',
    after: "...boundColumnsOf(row).filter((column) => column !== 'location').map(",
    seenBy: [chainTest],
  },
  {
    name: 'a record is not bound to the previous one',
    file: chain,
    before: '.update(previous.hash)',
    after: '',
    seenBy: [`${test}/logs/login-log/link.test.ts`],
  },
  {
    name: 'verify misses the removal of the last record',
    file: chainWalk,
    before: 'kept?.seq ?? 0) > place.seq)',
    after: 'kept?.seq ?? 0) > place.seq + 1)',
    seenBy: [chainTest],
  },
  {
    name: 'verify does not compare the hash of a kept head',
    file: chainWalk,
    before: ' || (seq === kept?.seq && !hash.equals(kept.hash))',
    after: '',
    seenBy: [chainTest],
  },
  {
    name: 'verify accepts an added record',
    file: chainWalk,
    before: "if (seq === null || seq < expected) return { seq, id, what: 'added' };",
    after: 'if (seq === null || seq < expected) return undefined;',
    seenBy: [chainTest],
  },
  {
    name: 'verify accepts an unsigned head',
    file: verifier,
    before: 'signLink(key, chain, link, kind).equals(signature)',
    after: 'signLink(key, chain, link, kind).length === signature.length',
    seenBy: [chainTest],
  },
  {
    name: 'verify misses the removal of a head',
    file: verifier,
    before: 'if ((reached.get(chain) ?? 0) < seq) problems',
    after: 'if ((reached.get(chain) ?? 0) < 0) problems',
    seenBy: [chainTest],
  },
  {
    name: 'verify accepts a record without a chain as an old one',
    file: verifier,
    before: 'if (isChained) stray(row.id);',
    after: '',
    seenBy: [chainTest],
  },
  {
    name: 'kept heads do not sign how many records have no chain',
    file: `${src}/logs/evidence/kept-heads.ts`,
    before: '[unchained, ...heads',
    after: '[...heads',
    seenBy: [`${test}/logs/evidence/kept-heads.test.ts`],
  },
  {
    name: 'the drain deletes records from the spool before they are stored',
    file: `${src}/logs/login-log/drain.ts`,
    before: 'await insert(piece.texts);',
    after: 'await piece.done();\n      await insert(piece.texts);',
    seenBy: [`${test}/logs/login-log/drain.test.ts`],
  },
  {
    name: 'an unreachable database makes every record a rejected one',
    file: `${src}/logs/login-log/insert-batch.ts`,
    before: 'if (!isOfData(error)) throw error;',
    after: '',
    seenBy: [`${test}/logs/login-log/insert-batch.test.ts`],
  },
  {
    name: 'an attempt is answered before it is on the disk',
    file: segment,
    before: 'await file.datasync();',
    after: '',
    seenBy: [spoolTest],
  },
  {
    name: 'the name of a new segment is lost in a power cut',
    file: segment,
    before: 'await syncFolder(place.folder);',
    after: '',
    seenBy: [segmentTest],
  },
  {
    name: 'other users of the host read the spool',
    file: segment,
    before: "'wx+', 0o600",
    after: "'wx+', 0o644",
    seenBy: [segmentTest],
  },
  {
    name: 'failures use the reserve of successes',
    file: `${src}/logs/login-log/spool/spool.ts`,
    before: 'else if (segment.isReserve) refuseWhere(({ isKept }) => !isKept);',
    after: '',
    seenBy: [spoolTest],
  },
  {
    name: 'a frame that was half written is read',
    file: `${src}/logs/login-log/spool/frame.ts`,
    before: 'if (crc32(content, segment) !== bytes.readUInt32LE(at + 4)) break;',
    after: '',
    seenBy: [`${test}/logs/login-log/spool/frame.test.ts`],
  },
  {
    name: 'the spool of a living instance is taken over',
    file: `${src}/logs/login-log/spool/owner.ts`,
    before: 'if (await isOwned(folder)) return undefined;',
    after: '',
    seenBy: [`${test}/logs/login-log/spool/owner.test.ts`],
  },
  {
    name: 'a cell of the export is a formula',
    file: 'packages/server/src/base/values/csv.ts',
    before: String.raw`[=+\-@\uff1d`,
    after: String.raw`[=+\-\uff1d`,
    seenBy: ['packages/server/test/base/values/csv.test.ts'],
  },
  {
    name: 'a cell of the export is a formula behind a semicolon',
    file: 'packages/server/src/base/values/csv.ts',
    before: String.raw`(?<=^|[;\t\r\n])`,
    after: '^',
    seenBy: ['packages/server/test/base/values/csv.test.ts', 'test/attack/login-log.test.ts'],
    threat: 'T88',
    attacks: ['T88 an export has one line for each of them'],
  },
  {
    name: 'a cell of the list of people is a formula behind a semicolon',
    file: 'packages/console/src/pages/endpoint/people-csv.ts',
    before: String.raw`(?<=^|[;\t\r\n])`,
    after: '^',
    seenBy: ['packages/console/test/pages/endpoint/people-csv.test.ts'],
  },
  {
    name: 'a data scope with many users shows all of the login log',
    file: `${src}/logs/login-log/reading/scope-store.ts`,
    before: 'return { ...search, departments };',
    after: 'return search;',
    seenBy: [`${test}/logs/login-log/reading/routes.test.ts`],
  },
  {
    name: 'the beginning of a line about a failure can be forged',
    file: `${src}/logs/login-log/failure-line.ts`,
    before: "lines.info({ ip, reason, requestId, username }, 'a login failed')",
    after: "lines.info({ username, ip, reason, requestId }, 'a login failed')",
    seenBy: [`${test}/logs/login-log/failure-line.test.ts`],
  },
];
