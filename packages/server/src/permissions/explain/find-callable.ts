// Which rule of a role allows a method on a path, and whether all of it: a declared path stands for many. The engine
// decides; only where it allows not all is looked for a rule that allows some.
import { explain, listRules, type Rule, type Snapshot } from '@portcullis/policy';
import { isWithin } from '../../base/values/is-within.ts';
import { cut, overlaps } from './overlaps.ts';

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
  const route = cut(called);
  const rule = listRules(snapshot, roleKey).find((each) => overlaps(cut(each), route));
  return rule === undefined ? undefined : { rule, reach: 'some' };
}
