// LDAP search, page by page, and the attributes of an entry that it returns.
import type { Entry, Filter } from 'ldapts';
import type { Wire } from './connection/wire.ts';

export const pageSize = 500;

export async function* searchPaged({ client }: Wire, base: string, filter: Filter, asked: readonly string[]) {
  const pages = client.searchPaginated(base, {
    scope: 'sub',
    filter,
    attributes: [...asked],
    explicitBufferAttributes: ['objectGUID'],
    paged: { pageSize },
  });
  for await (const { searchEntries } of pages) yield* searchEntries;
}

/** Reads the values of an attribute. The case of attribute names does not matter (RFC 4512, 2.5). */
export function readerOf(entry: Entry): (attribute: string) => readonly (Buffer | string)[] {
  const values = new Map<string, readonly (Buffer | string)[]>();
  for (const [attribute, value] of Object.entries(entry))
    values.set(attribute.toLowerCase(), Array.isArray(value) ? value : [value]);
  return (attribute) => values.get(attribute.toLowerCase()) ?? [];
}
