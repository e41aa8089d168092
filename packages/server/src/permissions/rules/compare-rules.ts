// Dry run of a rule change: the rules that a draft adds and removes, the permissions that the role gains and loses, the
// routes that are affected, and the number of people with the role.
import {
  AppError,
  type Caller,
  type RouteComparison,
  type RuleComparison,
  routeName,
} from '@portcullis/contract';
import { compile, parseRule, type Rule } from '@portcullis/policy';
import { isWithin } from '../../base/values/is-within.ts';
import type { Yielding } from '../../base/values/yielding.ts';
import type { Store } from '../../cluster/store/store.ts';
import { readRollback } from './rule-changes.ts';
import { readRulesRevision } from './rule-history-store.ts';
import { getRole, type RuleChanges, type RuleOfRole, readRulesOfRole } from './rule-store.ts';

/** Compares the callable routes with the rules of the role before and after the change. */
export type CompareRoutes = (
  before: readonly RuleOfRole[],
  after: readonly RuleOfRole[],
) => Promise<RouteComparison>;

export interface CompareOptions {
  readonly store: Store;
  readonly turns: Yielding;
  readonly compareRoutes: CompareRoutes;
  /** Counts the enabled users of a role that are in the caller's data scope. */
  readonly countUsers: (caller: Caller, roleId: number) => Promise<RuleComparison['users']>;
}

/** A change, or the revision of a rollback. */
export type Asked = RuleChanges | { readonly rollbackTo: number };

const nothing: RouteComparison = {
  gained: { count: 0, items: [] },
  lost: { count: 0, items: [] },
  complete: true,
};

export async function compareRules(
  { store, turns, compareRoutes, countUsers }: CompareOptions,
  { caller, params: { id: roleId } }: { readonly caller: Caller; readonly params: { readonly id: number } },
  asked: Asked,
): Promise<RuleComparison> {
  const role = await getRole(store, roleId);
  if (role.roleKey === 'admin') throw new AppError('conflict');
  // Read the revision first: after a change in between, the revision is outdated, and applying the draft is refused
  // (optimistic locking).
  const revision = await readRulesRevision(store, role);
  const draft = 'rollbackTo' in asked ? await readRollback(store, role, asked.rollbackTo) : asked;
  const stored = new Map((await readRulesOfRole(store, roleId)).map((rule) => [routeName(rule), rule]));
  const added = unique(draft.add).filter((rule) => !stored.has(routeName(rule)));
  const removed = unique(draft.remove).filter((rule) => stored.has(routeName(rule)));
  const removedNames = new Set(removed.map(routeName));
  const kept = [...stored.values()].filter((rule) => !removedNames.has(routeName(rule)));

  const before = parsedOf([...stored.values()]);
  const after = parsedOf([...kept, ...added]);
  const [earlier, later] = [compile(before, 0), compile(after, 0)];
  const gains = await turns.filter(parsedOf(added), (rule) => !isWithin(earlier, roleKey, rule));
  const losses = await turns.filter(parsedOf(removed), (rule) => !isWithin(later, roleKey, rule));
  const changesNothing = gains.length + losses.length === 0;
  return {
    revision,
    added,
    removed,
    gains: gains.map(ruleOf),
    losses: losses.map(ruleOf),
    routes: changesNothing ? nothing : await compareRoutes(before, after),
    users: changesNothing ? { count: 0, more: false } : await countUsers(caller, roleId),
  };
}

/** Any role key works here, because both sides are rules of the same role. */
const roleKey = 'any';

/** Leaves out stored rules that do not parse: they are not in force, so they neither add nor remove a permission. */
function parsedOf(texts: readonly RuleOfRole[]): Rule[] {
  return texts.flatMap((text) => {
    const parsed = parseRule({ roleKey, ...text });
    return 'rule' in parsed ? [parsed.rule] : [];
  });
}

function ruleOf({ method, path }: RuleOfRole): RuleOfRole {
  return { method, path };
}

function unique(rules: readonly RuleOfRole[]): RuleOfRole[] {
  return [...new Map(rules.map((rule) => [routeName(rule), ruleOf(rule)])).values()];
}
