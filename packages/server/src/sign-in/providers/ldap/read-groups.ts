// Reads the groups of people from a directory, nested groups included. A person whose groups exceed a limit has no known
// groups; the limit concerns that person alone, and the directory stays available for all others.
import { AndFilter, type Entry, EqualityFilter, ExtensibleFilter, OrFilter, ResultCodeError } from 'ldapts';
import { DirectoryUnavailable } from './connection/directory-unavailable.ts';
import type { Wire } from './connection/wire.ts';
import type { Dialect } from './directory-settings.ts';
import { canonicalDn } from './distinguished-name.ts';
import { pageSize, readerOf, searchPaged } from './search-entries.ts';

/** Which limit the groups of one person exceed. */
export type GroupLimit = 'too_many_groups' | 'groups_too_deep';

/** Canonical distinguished names; or the limit that they exceed, and then no group of the person is known. */
export type Groups = readonly string[] | GroupLimit;

const mostGroupsOfPerson = 1000;
const mostGroups = 50_000;
const deepestNesting = 10;
/** LDAP_MATCHING_RULE_IN_CHAIN: Active Directory returns all nested groups in one search. */
const inChain = '1.2.840.113556.1.4.1941';
const groupClasses = ['group', 'groupOfNames', 'groupOfUniqueNames'];
const noSuchObject = 32;

export function createGroupReader(dialect: Dialect, groupBaseDn: string) {
  /** Reads level by level, and each group once. */
  async function followMemberOf({ client }: Wire, entry: Entry): Promise<Groups> {
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
          .catch(noneIfAbsent);
        if (searchEntries.some(hasRange)) return 'too_many_groups';
        parents.push(...searchEntries.flatMap(memberOf));
      }
      level = parents;
    }
    return [...found].sort();
  }

  async function askChain({ client }: Wire, dn: string): Promise<Groups> {
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

  return {
    /** The groups of one person, for a login. */
    async ofEntry(wire: Wire, entry: Entry): Promise<Groups> {
      if (hasRange(entry)) return 'too_many_groups';
      return await (dialect === 'ad' ? askChain(wire, entry.dn) : followMemberOf(wire, entry));
    },

    /** For every group of the directory, the groups that it is a direct member of. */
    async readParents(wire: Wire): Promise<Map<string, Groups>> {
      const parents = new Map<string, Groups>();
      const isGroup = new OrFilter({
        filters: groupClasses.map((value) => new EqualityFilter({ attribute: 'objectClass', value })),
      });
      for await (const entry of searchPaged(wire, groupBaseDn, isGroup, ['memberOf'])) {
        const canonical = canonicalDn(entry.dn);
        if (canonical !== undefined) parents.set(canonical, canonicalGroups(entry));
        if (parents.size > mostGroups) throw new DirectoryUnavailable('too_much');
      }
      return parents;
    },
  };
}

/** All groups of a person from the direct ones (transitive closure), with the limits of a login. Each result is cached. */
export function createClosure(parents: ReadonlyMap<string, Groups>) {
  const known = new Map<string, Groups>();
  function above(groups: readonly string[]): Groups {
    const found = new Set<string>();
    // A set: for groups that are all members of each other, a list grows by that factor at each level.
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

/** The groups that the entry is a direct member of. */
export function canonicalGroups(entry: Entry): Groups {
  if (hasRange(entry)) return 'too_many_groups';
  return memberOf(entry)
    .map(canonicalDn)
    .filter((dn) => dn !== undefined);
}

/** Whether there are more groups than fit into one answer. A directory sends those in ranges, and ranges are never read. */
function hasRange(entry: Entry): boolean {
  return Object.keys(entry).some((attribute) => /^memberof;range=/i.test(attribute));
}

function memberOf(entry: Entry): string[] {
  return readerOf(entry)('memberOf').map(String);
}

function noneIfAbsent(error: unknown): { searchEntries: Entry[] } {
  if (error instanceof ResultCodeError && error.code === noSuchObject) return { searchEntries: [] };
  throw error;
}
