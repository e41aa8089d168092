// The filters of the login log for the filter bar.
import type { FilterField } from '../../logs/filter-field.ts';
import { findRange, lastRanges } from '../../logs/last-range.ts';
import { toLocalTime } from '../../logs/local-time.ts';
import {
  type FilterName,
  filterNames,
  type LogFilter,
  outcomes,
  type Reason,
  reasons,
} from './log-filter.ts';

interface Words {
  readonly names: Readonly<Record<FilterName, string>>;
  readonly reasons: Readonly<Record<Reason, string>>;
  readonly outcomes: Readonly<Record<(typeof outcomes)[number], string>>;
  readonly ranges: Readonly<Record<string, string>>;
  readonly moment: (at: string) => string;
}

type Look = Pick<FilterField, 'type' | 'options' | 'placeholder' | 'longest' | 'isOffered' | 'isFixed'>;

export function listFields(filter: LogFilter, words: Words): readonly FilterField[] {
  const optionsOf = <Value extends string>(
    values: readonly Value[],
    labels: Readonly<Record<Value, string>>,
  ) => values.map((value) => ({ value, label: labels[value] }));
  const looks: Readonly<Record<FilterName, Look>> = {
    last: { isOffered: false, isFixed: true },
    from: { type: 'datetime-local' },
    to: { type: 'datetime-local' },
    username: { longest: 64 },
    userId: { longest: 16 },
    ip: { longest: 49, placeholder: '192.0.2.0/24' },
    outcome: { options: optionsOf(outcomes, words.outcomes) },
    reason: { options: optionsOf(reasons, words.reasons) },
    browser: { longest: 64 },
    os: { longest: 64 },
    location: { longest: 2, placeholder: 'CN' },
  };
  return filterNames.map((name) => ({
    name,
    label: words.names[name],
    shown: sayValue(name, filter[name], words, looks[name]),
    value: looks[name].type === undefined ? (filter[name] ?? '') : toLocalTime(filter[name]),
    ...looks[name],
  }));
}

function sayValue(
  name: FilterName,
  value: string | undefined,
  words: Words,
  { type, options }: Look,
): string {
  if (value === undefined) return '';
  // A range with a button is shown there and not as a chip.
  if (name === 'last')
    return lastRanges.some((known) => known === value) ? '' : (words.ranges[findRange(value) ?? ''] ?? '');
  if (type !== undefined) return words.moment(value);
  return options?.find((option) => option.value === value)?.label ?? value;
}
