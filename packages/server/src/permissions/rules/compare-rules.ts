// What a draft would change about a role's rules, before anybody applies it: which rules, what they allow beyond the
// others, which routes that reaches, and how many people it concerns.
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

/** Given the rules of the role before and after. */
export type CompareRoutes = (
  before: readonly RuleOfRole[],
  after: readonly RuleOfRole[],
) => Promise<RouteComparison>;

export interface CompareOptions {
  readonly store: Store;
  readonly turns: Yielding;
  readonly compareRoutes: CompareRoutes;
  /** The enabled users of a role, whom the caller may see. */
  readonly countUsers: (caller: Caller, roleId: number) => Promise<RuleComparison['users']>;
}

/** A change, or the revision to go back to. */
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
  // Read first: a change meanwhile makes this revision an old one, and applying the draft on it is refused.
  const revision = await readRulesRevision(store, role);
  const draft = 'rollbackTo' in asked ? await readRollback(store, role, asked.rollbackTo) : asked;
  const stored = new Map((await readRulesOfRole(store, roleId)).map((rule) => [routeName(rule), rule]));
  const added = unique(draft.add).filter((rule) => !stored.has(routeName(rule)));
  const removed = unique(draft.remove).filter((rule) => stored.has(routeName(rule)));
  const gone = new Set(removed.map(routeName));
  const kept = [...stored.values()].filter((rule) => !gone.has(routeName(rule)));

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

/** The role key does not matter: it is one role's rules on both sides. */
const roleKey = 'any';

/** A stored rule that does not parse is not in force, and so it gives and takes nothing. */
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
