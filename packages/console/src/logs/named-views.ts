// Named filters (views) that a user saves in this browser.
export interface View {
  readonly name: string;
  /** The filter as URL query parameters. */
  readonly query: Readonly<Record<string, string>>;
}

export const longestName = 40;
export const mostViews = 30;

/** Validates, because another version or the user can have written the stored text. */
export function parseViews(text: string | null): readonly View[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  return kept.filter(isView).slice(0, mostViews);
}

function isView(value: unknown): value is View {
  if (typeof value !== 'object' || value === null) return false;
  const { name, query } = value as Partial<Record<keyof View, unknown>>;
  const isNamed = typeof name === 'string' && name !== '' && name.length <= longestName;
  const isFilter = typeof query === 'object' && query !== null && !Array.isArray(query);
  return isNamed && isFilter && Object.values(query).every((part) => typeof part === 'string');
}

/** The same filter, in any order of its parts. */
export function isSameQuery(one: View['query'], other: View['query']): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

export type NameProblem = 'empty' | 'long' | 'taken' | 'many';

/** `others`: the names that exist already. */
export function findNameProblem(name: string, others: readonly string[]): NameProblem | undefined {
  if (name === '') return 'empty';
  if (name.length > longestName) return 'long';
  if (others.some((other) => other.toLowerCase() === name.toLowerCase())) return 'taken';
  return undefined;
}

export function addView(views: readonly View[], view: View): readonly View[] {
  return [...views, view].sort((one, other) => one.name.localeCompare(other.name));
}

export function removeView(views: readonly View[], name: string): readonly View[] {
  return views.filter((view) => view.name !== name);
}

export function renameView(views: readonly View[], from: string, to: string): readonly View[] {
  const view = views.find(({ name }) => name === from);
  return view === undefined ? views : addView(removeView(views, from), { ...view, name: to });
}
