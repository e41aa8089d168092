// The sentence that a command prints after a change: whether every instance enforces it already, or will soon.
import type { Operator } from '../compose-operator.ts';

/** @example `alice is disabled. ${enforcementOf(operator)}` */
export function enforcementOf({ isEnforced, revision }: Pick<Operator, 'isEnforced' | 'revision'>): string {
  if (revision === undefined) return '';
  return isEnforced
    ? `Every instance enforces it (revision ${revision}).`
    : `The instances apply it within about a second (revision ${revision}).`;
}
