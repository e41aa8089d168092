// Which rule of a role allows a method on a path, and whether all of it: a declared path stands for many. The engine
// decides; only where it allows not all is looked for a rule that allows some.
import { explain, listRules, type Rule, type Snapshot } from '@portcullis/policy';
import { isWithin } from '../values/is-within.ts';

interface Called {
  readonly method: string;
  readonly path: string;
}

export interface FoundReach {
  readonly rule: Rule;
  readonly reach: 'some' | 'all';
}

export function findReach(snapshot: Snapshot, roleKey: string, called: Called): FoundReach | undefined {
  const isDeclared = called.path.includes('/:');
  if (isWithin(snapshot, roleKey, called)) {
    const { rule } = explain(snapshot, { roleKey, ...called });
    return rule === undefined ? undefined : { rule, reach: 'all' };
  }
  if (!isDeclared) return undefined;
  const rule = listRules(snapshot, roleKey).find((each) => meets(each, called));
  return rule === undefined ? undefined : { rule, reach: 'some' };
}

/** Whether there is a path that both match. */
function meets(rule: Called, called: Called): boolean {
  if (rule.method !== '*' && rule.method !== called.method) return false;
  const [wanted, given] = [rule.path.split('/'), called.path.split('/')];
  const isOpen = wanted.at(-1) === '*';
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((part, place) => {
    const other = given[place] ?? '';
    return part === other || part.startsWith(':') || part === '*' || other.startsWith(':');
  });
}
