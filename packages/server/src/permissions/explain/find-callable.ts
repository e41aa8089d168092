// Finds the rule of a role that allows a method on a path, and whether it allows all paths: a declared path with parameters
// means many paths. The policy engine decides. Only if it does not allow all paths, a rule that allows some is searched.
import { explain, listRules, type Rule, type Snapshot } from '@portcullis/policy';
import { isWithin } from '../../base/values/is-within.ts';
import { overlaps, splitPattern } from './overlaps.ts';

interface Called {
  readonly method: string;
  readonly path: string;
}

export interface CallableRule {
  readonly rule: Rule;
  readonly reach: 'some' | 'all';
}

export function findCallable(snapshot: Snapshot, roleKey: string, called: Called): CallableRule | undefined {
  const isDeclared = called.path.includes('/:');
  if (isWithin(snapshot, roleKey, called)) {
    const { rule } = explain(snapshot, { roleKey, ...called });
    return rule === undefined ? undefined : { rule, reach: 'all' };
  }
  if (!isDeclared) return undefined;
  const route = splitPattern(called);
  const rule = listRules(snapshot, roleKey).find((each) => overlaps(splitPattern(each), route));
  return rule === undefined ? undefined : { rule, reach: 'some' };
}
