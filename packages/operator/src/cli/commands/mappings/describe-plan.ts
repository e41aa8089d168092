// Describes the plan of new group mappings before it is applied: all affected users, with locked-out users first.
import type { Answer, planMappingsEndpoint } from '@portcullis/contract';
import { countOf } from '../../../terminal/count-of.ts';
import { paint, table } from '../../../terminal/output.ts';

export type Plan = Answer<typeof planMappingsEndpoint>['data'];
type Change = Plan['changes'][number];
type Effect = Change['effect'];

/** The names of roles and departments by id. */
export interface Names {
  readonly role: (id: number) => string;
  readonly department: (id: number) => string;
}

const effects: Readonly<Record<Effect, string>> = {
  locked_out: 'locked out',
  link_refused: 'refused there',
  loses: 'loses',
  changes: 'changes',
  gains: 'gains',
};
const order = Object.keys(effects);
const reasons = {
  gone: 'not in the directory any more',
  disabled: 'disabled there',
  unmapped: 'in no group that gives a role',
  unreadable: 'groups not known before the next sign-in',
} as const;
const methods = { password: 'password', passkey: 'passkey', provider: 'another provider' } as const;

export function describePlan({ changes, people, keepsAdministrator }: Plan, names: Names): string {
  const sorted = changes.toSorted((one, other) => order.indexOf(one.effect) - order.indexOf(other.effect));
  return [
    ...(sorted.length === 0 ? [] : [tableOf(sorted, names)]),
    summaryOf(changes, people),
    ...(keepsAdministrator
      ? []
      : [paint('red', 'No administrator would be left, so the change is not applied.')]),
  ].join('\n');
}

function tableOf(changes: readonly Change[], { role, department }: Names): string {
  const placeOf = ({ roleId, departmentId }: Change['before']) =>
    `${role(roleId)}, ${department(departmentId)}`;
  return table(
    ['Effect', 'User', 'Before', 'After'],
    changes.map(({ effect, username, before, after, reason, remainingMethods }) => [
      effects[effect],
      username,
      placeOf(before),
      after === null ? reasons[reason ?? 'unmapped'] + remainingOf(remainingMethods) : placeOf(after),
    ]),
  );
}

/** @example remainingOf(['password', 'passkey']) // '; still signs in by password, passkey' */
function remainingOf(remaining: Change['remainingMethods']): string {
  return remaining.length === 0
    ? ''
    : `; still signs in by ${remaining.map((method) => methods[method]).join(', ')}`;
}

/** @example summaryOf(changes, 7) // 3 of 7 linked people change: 1 is locked out, 2 gain. */
function summaryOf(changes: readonly Change[], people: number): string {
  if (changes.length === 0) return `No change for ${countOf(people, 'linked person', 'linked people')}.`;
  const count = (effect: Effect) => changes.filter((change) => change.effect === effect).length;
  const parts = [
    [count('locked_out'), 'is locked out', 'are locked out'],
    [
      count('link_refused'),
      'is refused there and can sign in otherwise',
      'are refused there and can sign in otherwise',
    ],
    [count('loses'), 'loses', 'lose'],
    [count('changes'), 'changes otherwise', 'change otherwise'],
    [count('gains'), 'gains', 'gain'],
  ] as const;
  const told = parts.filter(([n]) => n > 0).map(([n, one, many]) => countOf(n, one, many));
  const verb = changes.length === 1 ? 'changes' : 'change';
  return `${changes.length.toLocaleString('en')} of ${countOf(people, 'linked person', 'linked people')} ${verb}: ${told.join(', ')}.`;
}
