// The differences of a change: the keys whose values differ between before and after.
import { isRecord } from '../../is-record.ts';

export interface FieldDifference {
  /** Empty for values without keys, such as a number. */
  readonly key: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before: unknown;
  readonly after: unknown;
}

const longestLine = 60;

type Fields = Readonly<Record<string, unknown>>;

export function listDifferences(before: unknown, after: unknown): FieldDifference[] {
  if (!isFieldsOrNothing(before) || !isFieldsOrNothing(after))
    return isSame(before, after) ? [] : [differenceOf('', before, after)];
  const [old, now] = [before ?? {}, after ?? {}];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((key) => !isSame(old[key], now[key]))
    .map((key) => differenceOf(key, old[key], now[key]));
}

function differenceOf(key: string, before: unknown, after: unknown): FieldDifference {
  const kind = isNothing(before) ? 'added' : isNothing(after) ? 'removed' : 'changed';
  return { key, kind, before, after };
}

/**
 * A value as text: text unchanged, rules line by line, other values as JSON. Undefined if there is none.
 * @example formatValue({ count: 1, items: [{ method: 'GET', path: '/orders' }] }); // 'GET /orders'
 */
export function formatValue(value: unknown): string | undefined {
  if (isNothing(value)) return undefined;
  if (typeof value === 'string') return value;
  const rules = formatRules(value);
  if (rules !== undefined) return rules;
  const line = JSON.stringify(value);
  return line.length <= longestLine ? line : JSON.stringify(value, null, 2);
}

/** Adds the names of users, roles and departments to their ids, if the names are known. */
export function nameValue(names: Readonly<Record<string, string>>, key: string, value: unknown): unknown {
  const kind = key === 'parentId' ? 'department' : /^(user|role|department)Id$/.exec(key)?.[1];
  const name = kind === undefined ? undefined : names[`${kind} ${value}`];
  return name === undefined ? value : `${name} (${value})`;
}

function formatRules(value: unknown): string | undefined {
  if (!isRecord(value) || !Array.isArray(value.items) || typeof value.count !== 'number') return undefined;
  const items: unknown[] = value.items;
  const lines = items.map((item) => (isRecord(item) ? `${item.method} ${item.path}` : JSON.stringify(item)));
  const left = value.count - lines.length;
  return [...lines, ...(left > 0 ? [`… +${left}`] : [])].join('\n');
}

/** An empty list of rules counts as no value: a change that only adds rules removes none. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (isRecord(value) && value.count === 0 && 'items' in value);
}

function isFieldsOrNothing(value: unknown): value is Fields | null | undefined {
  return value === undefined || value === null || isRecord(value);
}

function isSame(one: unknown, other: unknown): boolean {
  if (isNothing(one) && isNothing(other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, place) => isSame(value, other[place]));
  if (isRecord(one) && isRecord(other))
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) =>
      isSame(one[key], other[key]),
    );
  return one === other;
}
