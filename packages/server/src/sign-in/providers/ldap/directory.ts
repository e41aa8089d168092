// Asks a directory: who somebody is, whether a password is that person's, and in which groups. Filters are made of values
// and never of text; nothing that the directory refers to elsewhere is followed.
import { randomUUID } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import {
  AndFilter,
  type Entry,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  NotFilter,
  OrFilter,
  PresenceFilter,
  ResultCodeError,
} from 'ldapts';
import { canonicalUsername } from '../../../base/values/canonical-username.ts';
import { type AccountState, readAccountState } from './account-state.ts';
import { type DirectorySettings, spellingOf } from './directory-settings.ts';
import { DirectoryUnavailable } from './directory-unavailable.ts';
import { canonicalDn } from './distinguished-name.ts';
import { directoryLoginMilliseconds } from './login-limit.ts';
import { parseSubject, subjectValue } from './subject.ts';
import { createTrust, openWire, type Wire } from './wire.ts';

export interface Person {
  readonly dn: string;
  readonly subject: string;
  readonly username: string;
  readonly state: AccountState;
}

/** Which limit the groups of one person exceed. */
export type GroupLimit = 'too_many_groups' | 'groups_too_deep';

/** Distinguished names in one spelling; or the limit that they exceed, and then no group of the person is known. */
export type Groups = readonly string[] | GroupLimit;

export interface GroupedPerson extends Person {
  /** All groups that the person is in, also by way of other groups. */
  readonly groups: Groups;
}

/** Somebody by the name that was typed, or by what a stored link says. */
export type Sought = { readonly username: string } | { readonly subject: string };

export interface Directory {
  /** Who it is, where exactly one is found and the password is right. Throws `DirectoryUnavailable`, and nothing else. */
  authenticate(sought: Sought, password: string): Promise<GroupedPerson | undefined>;
  /** Everybody, with groups. */
  list(): Promise<GroupedPerson[]>;
  /** Those of them who are there. Without groups it does not ask for any. */
  findAll(subjects: readonly string[], options: { readonly withGroups: boolean }): Promise<GroupedPerson[]>;
  /** Logs its reader in. */
  look(): Promise<{ readonly certificateEndsAt: Date }>;
}

interface DirectoryOptions {
  readonly settings: DirectorySettings;
  readonly readerPassword: string;
  readonly lookup: LookupFunction;
  readonly now: () => number;
  /** Told of the people who were read and whose groups exceed a limit. */
  readonly reportLimits?: (people: readonly GroupedPerson[]) => void;
  readonly connectMilliseconds?: number;
  readonly loginMilliseconds?: number;
  readonly listMilliseconds?: number;
}

const mostBytesOfLogin = 2 ** 20;
const mostBytesOfList = 2 ** 28;
const mostPeople = 200_000;
const mostGroupsOfPerson = 1000;
const mostGroups = 50_000;
const deepestNesting = 10;
const pageSize = 500;
const subjectsInQuestion = 100;
/** Every group of a chain of groups, in one question to Active Directory. */
const inChain = '1.2.840.113556.1.4.1941';
const groupClasses = ['group', 'groupOfNames', 'groupOfUniqueNames'];
/** Refusals of a bind by whom it was sent for: constraint, inappropriate, invalid credentials, access, unwilling, no such object. */
const refusedBind = new Set([19, 32, 48, 49, 50, 53]);
/** Busy, unavailable: said of any password. */
const overloaded = new Set([51, 52]);
const noSuchObject = 32;
const referral = 10;

export function createDirectory(options: DirectoryOptions): Directory {
  const { settings, readerPassword, lookup, now, reportLimits } = options;
  const {
    connectMilliseconds = 1500,
    loginMilliseconds = directoryLoginMilliseconds,
    listMilliseconds = 120_000,
  } = options;
  const { dialect, baseDn, groupBaseDn = baseDn } = settings;
  const spelling = spellingOf(settings);
  // Nothing that people may write about themselves: one long value would exceed the limit of bytes for everyone.
  const ownAttributes = [spelling.username, spelling.subject, ...spelling.state];
  const attributes = [...ownAttributes, 'memberOf'];
  const isOfClass = (value: string) => new EqualityFilter({ attribute: 'objectClass', value });
  // To Active Directory a computer is a user, too; to others a class that they do not know makes a filter match nothing.
  const isNoComputer = new NotFilter({ filter: isOfClass('computer') });
  const isPerson = new AndFilter({
    filters: [isOfClass(spelling.personClass), ...(dialect === 'ad' ? [isNoComputer] : [])],
  });

  interface Limits {
    readonly signal: AbortSignal;
    readonly mostBytes: number;
  }
  const secureContext = createTrust(settings.ca);
  const open = (limits: Limits) =>
    openWire(settings, { ...limits, connectMilliseconds, lookup, secureContext });

  /** Whatever goes wrong is said in our words; what is left open is closed. */
  async function withWire<T>(limits: Limits, work: (wire: Wire) => Promise<T>): Promise<T> {
    let wire: Wire | undefined;
    try {
      wire = await open(limits);
      return await work(wire);
    } catch (error) {
      throw error instanceof DirectoryUnavailable && error.passwordSent
        ? error
        : (wire?.givenUp ?? awayOf(error));
    } finally {
      wire?.close();
    }
  }

  async function asReader<T>(limits: Limits, work: (wire: Wire) => Promise<T>): Promise<T> {
    // A directory lets nobody in by an empty password, and says that it did.
    if (readerPassword === '') throw new DirectoryUnavailable('reader_refused');
    return await withWire(limits, async (wire) => {
      await wire.bind(settings.readerDn, readerPassword).catch((error: unknown) => {
        throw isRefused(error) ? new DirectoryUnavailable('reader_refused', { cause: error }) : error;
      });
      return await work(wire);
    });
  }

  function readPerson(entry: Entry): Person | undefined {
    const read = readerOf(entry);
    const subject = parseSubject(dialect, read(spelling.subject)[0]);
    const text = (attribute: string) => read(attribute)[0]?.toString();
    const username = text(spelling.username);
    if (subject === undefined || username === undefined || entry.dn === '') return undefined;
    const state = readAccountState(dialect, text, now());
    return { dn: entry.dn, subject, username, state };
  }

  /** Of two with one name nobody is meant, and a name is what was typed, not what a directory takes for the same. */
  async function find(
    { client }: Wire,
    sought: Sought,
  ): Promise<{ person: Person; entry: Entry } | undefined> {
    const filter = filterOf(sought);
    if (filter === undefined) return undefined;
    const { searchEntries } = await client.search(baseDn, {
      scope: 'sub',
      sizeLimit: 2,
      attributes: [...attributes],
      explicitBufferAttributes: ['objectGUID'],
      filter: new AndFilter({ filters: [isPerson, filter] }),
    });
    const [entry, other] = searchEntries;
    const person = entry && other === undefined ? readPerson(entry) : undefined;
    if (entry === undefined || person === undefined || !isSought(person, entry, sought)) return undefined;
    return { person, entry };
  }

  function filterOf(sought: Sought): Filter | undefined {
    if ('username' in sought)
      return new EqualityFilter({ attribute: spelling.username, value: sought.username });
    const value = subjectValue(dialect, sought.subject);
    return value === undefined ? undefined : new EqualityFilter({ attribute: spelling.subject, value });
  }

  function isSought(person: Person, entry: Entry, sought: Sought): boolean {
    if ('subject' in sought) return person.subject === sought.subject;
    const names = readerOf(entry)(spelling.username);
    return names.length === 1 && canonicalUsername(person.username) === canonicalUsername(sought.username);
  }

  async function isPasswordOf(limits: Limits, dn: string, password: string): Promise<boolean> {
    return await withWire(limits, async (wire) => {
      try {
        await wire.bind(dn, password);
        return true;
      } catch (error) {
        if (wire.givenUp === undefined && isRefused(error)) return false;
        if (error instanceof ResultCodeError && overloaded.has(error.code)) throw error;
        const { reason } = wire.givenUp ?? awayOf(error);
        throw new DirectoryUnavailable(reason, { cause: error, passwordSent: true });
      }
    });
  }

  /** Level by level, each group once. */
  async function climb({ client }: Wire, entry: Entry): Promise<Groups> {
    const found = new Set<string>();
    let level = memberOf(entry);
    for (let depth = 0; level.length > 0; depth += 1) {
      const parents: string[] = [];
      for (const dn of level) {
        const canonical = canonicalDn(dn);
        if (canonical === undefined || found.has(canonical)) continue;
        if (depth > deepestNesting) return 'groups_too_deep';
        found.add(canonical);
        if (found.size > mostGroupsOfPerson) return 'too_many_groups';
        const { searchEntries } = await client
          .search(dn, { scope: 'base', attributes: ['memberOf'] })
          .catch(noneWhereGone);
        if (searchEntries.some(hasRange)) return 'too_many_groups';
        parents.push(...searchEntries.flatMap(memberOf));
      }
      level = parents;
    }
    return [...found].sort();
  }

  async function askChain({ client }: Wire, { dn }: Person): Promise<Groups> {
    const isGroup = new EqualityFilter({ attribute: 'objectClass', value: 'group' });
    const isMember = new ExtensibleFilter({ matchType: 'member', rule: inChain, value: dn });
    const filter = new AndFilter({ filters: [isGroup, isMember] });
    const found = new Set<string>();
    const pages = client.searchPaginated(groupBaseDn, {
      scope: 'sub',
      filter,
      attributes: ['cn'],
      paged: { pageSize },
    });
    for await (const { searchEntries } of pages) {
      for (const entry of searchEntries) {
        const canonical = canonicalDn(entry.dn);
        if (canonical !== undefined) found.add(canonical);
      }
      if (found.size > mostGroupsOfPerson) return 'too_many_groups';
    }
    return [...found].sort();
  }

  async function readGroups(wire: Wire, { person, entry }: { person: Person; entry: Entry }) {
    if (hasRange(entry)) return 'too_many_groups';
    return await (dialect === 'ad' ? askChain(wire, person) : climb(wire, entry));
  }

  function reported(people: GroupedPerson[]): GroupedPerson[] {
    const beyond = people.filter(({ groups }) => typeof groups === 'string');
    if (beyond.length > 0) reportLimits?.(beyond);
    return people;
  }

  async function* readAll({ client }: Wire, base: string, filter: Filter, asked: readonly string[]) {
    const pages = client.searchPaginated(base, {
      scope: 'sub',
      filter,
      attributes: [...asked],
      explicitBufferAttributes: ['objectGUID'],
      paged: { pageSize },
    });
    for await (const { searchEntries } of pages) yield* searchEntries;
  }

  async function readParents(wire: Wire): Promise<Map<string, Groups>> {
    const parents = new Map<string, Groups>();
    const isGroup = new OrFilter({
      filters: groupClasses.map((value) => new EqualityFilter({ attribute: 'objectClass', value })),
    });
    for await (const entry of readAll(wire, groupBaseDn, isGroup, ['memberOf'])) {
      const canonical = canonicalDn(entry.dn);
      if (canonical !== undefined) parents.set(canonical, canonicalGroups(entry));
      if (parents.size > mostGroups) throw new DirectoryUnavailable('too_much');
    }
    return parents;
  }

  return {
    async authenticate(sought, password) {
      // Before the wire: a bind without a password is one of nobody, and succeeds.
      if (password === '') return undefined;
      const limits = { signal: AbortSignal.timeout(loginMilliseconds), mostBytes: mostBytesOfLogin };
      return await asReader(limits, async (wire) => {
        const found = await find(wire, sought);
        // Somebody who is not there takes as long.
        const dn = found?.person.dn ?? `${spelling.username}=${randomUUID()},${baseDn}`;
        if (!(await isPasswordOf(limits, dn, password)) || found === undefined) return undefined;
        const [person] = reported([{ ...found.person, groups: await readGroups(wire, found) }]);
        return person;
      });
    },

    async list() {
      const limits = { signal: AbortSignal.timeout(listMilliseconds), mostBytes: mostBytesOfList };
      return await asReader(limits, async (wire) => {
        const closure = createClosure(await readParents(wire));
        const isNamed = new PresenceFilter({ attribute: spelling.username });
        const filter = new AndFilter({ filters: [isPerson, isNamed] });
        const people: GroupedPerson[] = [];
        for await (const entry of readAll(wire, baseDn, filter, attributes)) {
          const person = readPerson(entry);
          if (person !== undefined) people.push({ ...person, groups: closure(canonicalGroups(entry)) });
          if (people.length > mostPeople) throw new DirectoryUnavailable('too_much');
        }
        return reported(people);
      });
    },

    async findAll(subjects, { withGroups }) {
      const limits = { signal: AbortSignal.timeout(listMilliseconds), mostBytes: mostBytesOfList };
      return await asReader(limits, async (wire) => {
        // One that cannot see the base would say of everybody that they are gone.
        await wire.client.search(baseDn, { scope: 'base', attributes: ['objectClass'] });
        const closure = withGroups ? createClosure(await readParents(wire)) : undefined;
        const asking = withGroups ? attributes : ownAttributes;
        const people: GroupedPerson[] = [];
        for (let from = 0; from < subjects.length; from += subjectsInQuestion) {
          const asked = new Set(subjects.slice(from, from + subjectsInQuestion));
          const filters = [...asked]
            .map((subject) => filterOf({ subject }))
            .filter((each) => each !== undefined);
          if (filters.length === 0) continue;
          const filter = new AndFilter({ filters: [isPerson, new OrFilter({ filters })] });
          for await (const entry of readAll(wire, baseDn, filter, asking)) {
            const person = readPerson(entry);
            if (person === undefined || !asked.has(person.subject)) continue;
            people.push({ ...person, groups: closure?.(canonicalGroups(entry)) ?? [] });
          }
        }
        return reported(people);
      });
    },

    async look() {
      const limits = { signal: AbortSignal.timeout(loginMilliseconds), mostBytes: mostBytesOfLogin };
      return await asReader(limits, async (wire) => {
        await wire.client.search(baseDn, { scope: 'base', attributes: ['objectClass'] });
        return { certificateEndsAt: wire.certificateEndsAt };
      });
    },
  };
}

/** All groups above some, as deep as a login looks; what was climbed once is remembered. */
function createClosure(parents: ReadonlyMap<string, Groups>) {
  const known = new Map<string, Groups>();
  function above(groups: readonly string[]): Groups {
    const found = new Set<string>();
    // A set: in groups that are all members of each other, a list grows by that factor at each level.
    let level = new Set(groups);
    for (let depth = 0; level.size > 0; depth += 1) {
      if (depth > deepestNesting) return 'groups_too_deep';
      if (found.size + level.size > mostGroupsOfPerson) return 'too_many_groups';
      for (const group of level) found.add(group);
      const next = new Set<string>();
      for (const group of level) {
        const own = parents.get(group) ?? [];
        if (typeof own === 'string') return own;
        for (const each of own) if (!found.has(each)) next.add(each);
      }
      level = next;
    }
    return [...found].sort();
  }
  return (groups: Groups): Groups => {
    if (typeof groups === 'string') return groups;
    const key = groups.join('\n');
    const found = known.get(key) ?? above(groups);
    known.set(key, found);
    return found;
  };
}

function readerOf(entry: Entry): (attribute: string) => readonly (Buffer | string)[] {
  const values = new Map<string, readonly (Buffer | string)[]>();
  for (const [attribute, value] of Object.entries(entry))
    values.set(attribute.toLowerCase(), Array.isArray(value) ? value : [value]);
  return (attribute) => values.get(attribute.toLowerCase()) ?? [];
}

/** Whether there are more groups than fit into an answer: they come in ranges, and more are never read. */
function hasRange(entry: Entry): boolean {
  return Object.keys(entry).some((attribute) => /^memberof;range=/i.test(attribute));
}

function memberOf(entry: Entry): string[] {
  return readerOf(entry)('memberOf').map(String);
}

function canonicalGroups(entry: Entry): Groups {
  if (hasRange(entry)) return 'too_many_groups';
  return memberOf(entry)
    .map(canonicalDn)
    .filter((dn) => dn !== undefined);
}

function isRefused(error: unknown): boolean {
  return error instanceof ResultCodeError && refusedBind.has(error.code);
}

function noneWhereGone(error: unknown): { searchEntries: Entry[] } {
  if (error instanceof ResultCodeError && error.code === noSuchObject) return { searchEntries: [] };
  throw error;
}

function awayOf(error: unknown): DirectoryUnavailable {
  if (error instanceof DirectoryUnavailable) return error;
  if (!(error instanceof ResultCodeError)) return new DirectoryUnavailable('unreachable', { cause: error });
  return new DirectoryUnavailable(error.code === referral ? 'referral' : 'busy', { cause: error });
}
