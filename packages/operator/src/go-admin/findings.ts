// Collects the findings of an import: for each kind the count and the first items.
import { type FindingKind, findingKinds, type Subject } from './finding-kinds.ts';

export interface FindingItem {
  /** The item, as go-admin names it. */
  readonly what: string;
  /** Set if each item has a different reason. */
  readonly reason?: string;
}

export interface Finding {
  readonly kind: FindingKind;
  readonly about: Subject;
  /** Whether the record was left out, or imported with a difference. */
  readonly effect: 'left out' | 'changed';
  readonly reason: string;
  readonly remedy: string;
  readonly count: number;
  readonly items: readonly FindingItem[];
  /** The number of items beyond `items`. */
  readonly more: number;
}

export interface Findings {
  add(kind: FindingKind, what: string, reason?: string): void;
  list(): Finding[];
  countLeftOut(about: Subject): number;
}

/** Further items of one kind are only counted. */
const keptItems = 1000;

export function createFindings(): Findings {
  const found = new Map<FindingKind, { count: number; items: FindingItem[] }>();
  return {
    add(kind, what, reason) {
      const of = found.get(kind) ?? { count: 0, items: [] };
      found.set(kind, of);
      of.count += 1;
      if (of.items.length < keptItems) of.items.push(reason === undefined ? { what } : { what, reason });
    },
    list: () =>
      (Object.keys(findingKinds) as FindingKind[]).flatMap((kind) => {
        const of = found.get(kind);
        if (of === undefined) return [];
        return [{ kind, ...findingKinds[kind], ...of, more: of.count - of.items.length }];
      }),
    countLeftOut(about) {
      const counts = [...found].filter(
        ([kind]) => findingKinds[kind].about === about && findingKinds[kind].effect === 'left out',
      );
      return counts.reduce((sum, [, { count }]) => sum + count, 0);
    },
  };
}
