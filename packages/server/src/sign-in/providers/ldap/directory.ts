// LDAP client for one directory: verifies a password, lists people with their groups, and finds people by id. It follows no
// referral, so no other directory receives a password.
import type { Connect } from '../../../base/outbound/checked-connection.ts';
import { createBind } from './connection/bind.ts';
import { DirectoryUnavailable } from './connection/directory-unavailable.ts';
import type { DirectorySettings } from './directory-settings.ts';
import { directoryLoginMilliseconds } from './login-limit.ts';
import { canonicalGroups, createClosure, createGroupReader, type Groups } from './read-groups.ts';
import { searchPaged } from './search-entries.ts';
import { createPeopleSearch, type Person, type Sought } from './search-people.ts';

export interface GroupedPerson extends Person {
  /** All groups of the person, nested groups included. */
  readonly groups: Groups;
}

export interface Directory {
  /** The person, when exactly one is found and the password is right. Throws `DirectoryUnavailable`, and nothing else. */
  authenticate(sought: Sought, password: string): Promise<GroupedPerson | undefined>;
  /** Everybody, with groups. */
  list(): Promise<GroupedPerson[]>;
  /** The people with these subjects, as far as the directory has them. Without groups it does not ask for any. */
  findAll(subjects: readonly string[], options: { readonly withGroups: boolean }): Promise<GroupedPerson[]>;
  /** Binds as the reader, and checks that the reader can see the base. */
  check(): Promise<{ readonly certificateEndsAt: Date }>;
}

interface DirectoryOptions {
  readonly settings: DirectorySettings;
  readonly readerPassword: string;
  readonly connect: Connect;
  readonly now: () => number;
  /** Receives the people who were read and whose groups exceed a limit. */
  readonly reportLimits?: (people: readonly GroupedPerson[]) => void;
  readonly connectMilliseconds?: number;
  readonly loginMilliseconds?: number;
  readonly listMilliseconds?: number;
}

const mostBytesOfLogin = 2 ** 20;
const mostBytesOfList = 2 ** 28;
const mostPeople = 200_000;
const subjectsInQuestion = 100;

export function createDirectory(options: DirectoryOptions): Directory {
  const { settings, readerPassword, connect, now, reportLimits } = options;
  const {
    connectMilliseconds = 1500,
    loginMilliseconds = directoryLoginMilliseconds,
    listMilliseconds = 120_000,
  } = options;
  const { dialect, baseDn, groupBaseDn = baseDn } = settings;
  const people = createPeopleSearch({ settings, now });
  const groups = createGroupReader(dialect, groupBaseDn);
  const { asReader, isPasswordOf } = createBind({ settings, readerPassword, connect, connectMilliseconds });

  function reported(read: GroupedPerson[]): GroupedPerson[] {
    const overLimit = read.filter((person) => typeof person.groups === 'string');
    if (overLimit.length > 0) reportLimits?.(overLimit);
    return read;
  }

  return {
    async authenticate(sought, password) {
      // Before the connection: a bind without a password is anonymous, and succeeds.
      if (password === '') return undefined;
      const limits = { signal: AbortSignal.timeout(loginMilliseconds), mostBytes: mostBytesOfLogin };
      return await asReader(limits, async (wire) => {
        const found = await people.find(wire, sought);
        // A bind also for an unknown name: the time of the answer does not show which names exist.
        const dn = found?.person.dn ?? people.absentDn();
        if (!(await isPasswordOf(limits, dn, password)) || found === undefined) return undefined;
        const [person] = reported([{ ...found.person, groups: await groups.ofEntry(wire, found.entry) }]);
        return person;
      });
    },

    async list() {
      const limits = { signal: AbortSignal.timeout(listMilliseconds), mostBytes: mostBytesOfList };
      return await asReader(limits, async (wire) => {
        const closure = createClosure(await groups.readParents(wire));
        const all: GroupedPerson[] = [];
        for await (const entry of searchPaged(wire, baseDn, people.everybody, people.attributes)) {
          const person = people.readPerson(entry);
          if (person !== undefined) all.push({ ...person, groups: closure(canonicalGroups(entry)) });
          if (all.length > mostPeople) throw new DirectoryUnavailable('too_much');
        }
        return reported(all);
      });
    },

    async findAll(subjects, { withGroups }) {
      const limits = { signal: AbortSignal.timeout(listMilliseconds), mostBytes: mostBytesOfList };
      return await asReader(limits, async (wire) => {
        // A reader that cannot see the base would find no people, and all of them would lose access.
        await wire.client.search(baseDn, { scope: 'base', attributes: ['objectClass'] });
        const closure = withGroups ? createClosure(await groups.readParents(wire)) : undefined;
        const attributes = withGroups ? people.attributes : people.ownAttributes;
        const all: GroupedPerson[] = [];
        for (let from = 0; from < subjects.length; from += subjectsInQuestion) {
          const asked = new Set(subjects.slice(from, from + subjectsInQuestion));
          const filter = people.filterOfSubjects(asked);
          if (filter === undefined) continue;
          for await (const entry of searchPaged(wire, baseDn, filter, attributes)) {
            const person = people.readPerson(entry);
            if (person === undefined || !asked.has(person.subject)) continue;
            all.push({ ...person, groups: closure?.(canonicalGroups(entry)) ?? [] });
          }
        }
        return reported(all);
      });
    },

    async check() {
      const limits = { signal: AbortSignal.timeout(loginMilliseconds), mostBytes: mostBytesOfLogin };
      return await asReader(limits, async (wire) => {
        await wire.client.search(baseDn, { scope: 'base', attributes: ['objectClass'] });
        return { certificateEndsAt: wire.certificateEndsAt };
      });
    },
  };
}
