// Searches a directory for people, by username or by the id of the entry. Filters are built from values and never from text,
// so a username cannot inject a filter (LDAP injection).
import { randomUUID } from 'node:crypto';
import {
  AndFilter,
  type Entry,
  EqualityFilter,
  type Filter,
  NotFilter,
  OrFilter,
  PresenceFilter,
} from 'ldapts';
import { canonicalUsername } from '../../../base/values/canonical-username.ts';
import { type AccountState, readAccountState } from './account-state.ts';
import type { Wire } from './connection/wire.ts';
import { type DirectorySettings, spellingOf } from './directory-settings.ts';
import { readerOf } from './search-entries.ts';
import { parseSubject, subjectValue } from './subject.ts';

export interface Person {
  readonly dn: string;
  readonly subject: string;
  readonly username: string;
  readonly state: AccountState;
}

/** The username of a login, or the subject that a link stores. */
export type Sought = { readonly username: string } | { readonly subject: string };

interface PeopleSearchOptions {
  readonly settings: DirectorySettings;
  readonly now: () => number;
}

export function createPeopleSearch({ settings, now }: PeopleSearchOptions) {
  const { dialect, baseDn } = settings;
  const spelling = spellingOf(settings);
  // No attribute that people can write themselves: one long value would exceed the byte limit for everyone.
  const ownAttributes = [spelling.username, spelling.subject, ...spelling.state];
  const attributes = [...ownAttributes, 'memberOf'];
  const isOfClass = (value: string) => new EqualityFilter({ attribute: 'objectClass', value });
  // In Active Directory a computer is a user too. In other directories, a class that they do not know makes a filter match nothing.
  const isNoComputer = new NotFilter({ filter: isOfClass('computer') });
  const isPerson = new AndFilter({
    filters: [isOfClass(spelling.userObjectClass), ...(dialect === 'ad' ? [isNoComputer] : [])],
  });
  const isNamed = new PresenceFilter({ attribute: spelling.username });

  /** Undefined for an entry without an id, a username or a distinguished name. */
  function readPerson(entry: Entry): Person | undefined {
    const read = readerOf(entry);
    const subject = parseSubject(dialect, read(spelling.subject)[0]);
    const text = (attribute: string) => read(attribute)[0]?.toString();
    const username = text(spelling.username);
    if (subject === undefined || username === undefined || entry.dn === '') return undefined;
    const state = readAccountState(dialect, text, now());
    return { dn: entry.dn, subject, username, state };
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

  return {
    ownAttributes,
    attributes,
    everybody: new AndFilter({ filters: [isPerson, isNamed] }),
    readPerson,

    /**
     * Undefined when no entry matches, or two. The username of the entry must equal the one that was typed: a directory also
     * returns names that it only treats as equal.
     */
    async find({ client }: Wire, sought: Sought): Promise<{ person: Person; entry: Entry } | undefined> {
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
    },

    /** Undefined when none of the subjects is a valid id. */
    filterOfSubjects(subjects: Iterable<string>): Filter | undefined {
      const filters = [...subjects]
        .map((subject) => filterOf({ subject }))
        .filter((each) => each !== undefined);
      return filters.length === 0
        ? undefined
        : new AndFilter({ filters: [isPerson, new OrFilter({ filters })] });
    },

    /** A distinguished name that no entry has. */
    absentDn: () => `${spelling.username}=${randomUUID()},${baseDn}`,
  };
}
