// Builds the reply of an import: the counts, and the first routes of each kind.
import { listedLimits, type RouteImport } from '@portcullis/contract';
import type { RouteChanges } from './compare-routes.ts';
import type { ParsedDocument } from './open-api/parse-open-api.ts';

export function describeImport(
  { prefix, skipped }: ParsedDocument,
  { added, removed, kept }: RouteChanges,
): RouteImport {
  return { prefix, added: first(added), removed: first(removed), kept, skipped: first(skipped) };
}

function first<Item>(all: readonly Item[]): { count: number; items: Item[] } {
  return { count: all.length, items: all.slice(0, listedLimits.import) };
}
