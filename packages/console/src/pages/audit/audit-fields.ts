// The filters of the audit log for the filter bar.
import type { FilterField } from '../../logs/filter-field.ts';
import { lastRanges } from '../../logs/last-range.ts';
import { toLocalTime } from '../../logs/local-time.ts';
import { actionGroups } from './actions.ts';
import type { AuditFilter } from './read-filter.ts';

interface Words {
  readonly labels: Readonly<Record<keyof AuditFilter, string>>;
  readonly actions: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<(typeof actionGroups)[number], string>>;
  readonly anyOf: (group: string) => string;
  readonly ranges: Readonly<Record<string, string>>;
  readonly moment: (at: string) => string;
  /** The name of the selected user. */
  readonly actor: string;
  /** Whether the role can search for users. */
  readonly mayFindUsers: boolean;
}

export function listFields(filter: AuditFilter, words: Words): readonly FilterField[] {
  const { action, actorId, target, last, from, to } = filter;
  const options = actionGroups.flatMap((group) => [
    { value: group, label: words.anyOf(words.groups[group]) },
    ...Object.entries(words.actions)
      .filter(([name]) => name.startsWith(`${group}.`))
      .map(([value, label]) => ({ value, label })),
  ]);
  const isOffered = lastRanges.some((known) => known === last);
  const moment = (at: string | undefined) => ({
    shown: at === undefined ? '' : words.moment(at),
    value: toLocalTime(at),
    type: 'datetime-local' as const,
  });
  const parts: Readonly<Record<keyof AuditFilter, Omit<FilterField, 'name' | 'label'>>> = {
    // A range with a button is shown there and not as a chip.
    last: {
      shown: last === undefined || isOffered ? '' : (words.ranges[last] ?? ''),
      value: last ?? '',
      isOffered: false,
      isFixed: true,
    },
    action: {
      shown: options.find(({ value }) => value === action)?.label ?? action ?? '',
      value: action ?? '',
      options,
    },
    actorId: {
      shown: actorId === undefined ? '' : words.actor,
      value: `${actorId ?? ''}`,
      isOwn: true,
      isOffered: words.mayFindUsers,
      isFixed: !words.mayFindUsers,
    },
    target: { shown: target ?? '', value: target ?? '', placeholder: 'user 7', longest: 128 },
    from: moment(from),
    to: moment(to),
  };
  const names = ['last', 'action', 'actorId', 'target', 'from', 'to'] as const;
  return names.map((name) => ({ name, label: words.labels[name], ...parts[name] }));
}
