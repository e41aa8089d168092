// Plans the changes that a file of rules makes to each role, and applies them. All changes of one role are one
// call, so they take effect together and are one entry in the history. A role with more changes than a call
// allows needs several calls.
import { changeRulesEndpoint, type RoleItem, routeName, ruleChangesLimit } from '@portcullis/contract';
import type { FileRule } from '@portcullis/policy';
import type { Operator } from '../../../compose-operator.ts';
import { countOf } from '../../../terminal/count-of.ts';
import { CommandFailure, exitCodes } from '../../../terminal/exit-codes.ts';
import { withInterrupt } from '../../../terminal/interrupt.ts';
import { createProgress } from '../../../terminal/progress.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { type RuleOfRole, readRoles, readRules, refuseAdmin } from '../role-rules.ts';

export interface RolePlan {
  readonly role: RoleItem;
  readonly add: readonly RuleOfRole[];
  readonly remove: readonly RuleOfRole[];
  readonly kept: number;
  readonly revision: number;
}

/** With `replace`, the plan also removes rules that the roles have and the file does not have. */
export async function planRules(
  operator: Operator,
  rules: readonly FileRule[],
  { replace }: { replace: boolean },
): Promise<RolePlan[]> {
  const roles = await readRoles(operator);
  const wantedByKey = Map.groupBy(rules, ({ roleKey }) => roleKey);
  for (const roleKey of wantedByKey.keys()) refuseAdmin(roleKey);
  const unknown = [...wantedByKey.keys()].filter((roleKey) => !roles.has(roleKey));
  if (unknown.length > 0)
    throw new CommandFailure(
      `There is no role ${unknown.join(', ')}. Create it with \`portcullis role create\`, or name others with --role.`,
    );
  const progress = createProgress();
  const plans: RolePlan[] = [];
  for (const [roleKey, wanted] of wantedByKey) {
    const role = roles.get(roleKey);
    if (role !== undefined) plans.push(await planRole(operator, role, wanted, replace));
    progress.show(`Read ${plans.length} of ${countOf(wantedByKey.size, 'role')}`);
  }
  progress.end();
  return plans;
}

async function planRole(
  operator: Operator,
  role: RoleItem,
  wanted: readonly FileRule[],
  replace: boolean,
): Promise<RolePlan> {
  const { rules: stored, revision } = await readRules(operator, role);
  const storedNames = new Set(stored.map(routeName));
  const wantedByName = new Map(
    wanted.map(({ method, path }) => [routeName({ method, path }), { method, path }]),
  );
  const add = [...wantedByName].filter(([name]) => !storedNames.has(name)).map(([, rule]) => rule);
  const remove = replace ? stored.filter((rule) => !wantedByName.has(routeName(rule))) : [];
  return { role, add, remove, kept: stored.length - remove.length, revision };
}

export interface Applied {
  readonly roles: number;
  readonly added: number;
  readonly removed: number;
}

/** Ctrl-C finishes the current role and skips the remaining roles. */
export async function applyPlans(operator: Operator, plans: readonly RolePlan[]): Promise<Applied> {
  const changing = plans.filter(({ add, remove }) => add.length + remove.length > 0);
  const total = changing.reduce((sum, { add, remove }) => sum + add.length + remove.length, 0);
  const done = { roles: 0, added: 0, removed: 0 };
  const progress = createProgress();
  await withInterrupt(async (signal) => {
    signal.addEventListener('abort', () => {
      progress.end();
      process.stderr.write('Stopping after this role.\n');
    });
    for (const plan of changing) {
      if (signal.aborted) break;
      for await (const { add, remove } of applyPlan(operator, plan)) {
        done.added += add.length;
        done.removed += remove.length;
        progress.show(`${(done.added + done.removed).toLocaleString('en')} of ${countOf(total, 'rule')}`);
      }
      done.roles += 1;
    }
  }).finally(progress.end);
  if (done.roles < changing.length)
    throw new CommandFailure(
      `Stopped after ${done.roles} of ${countOf(changing.length, 'role')}, each of them as a whole. Run the same command again for the others.`,
      exitCodes.interrupted,
    );
  return done;
}

/**
 * Adds rules before it removes any. If the changes need several calls, a user keeps, between the calls, every
 * permission that the role has both before and after.
 */
async function* applyPlan(operator: Operator, plan: RolePlan) {
  const changes = [
    ...plan.add.map((rule) => ({ rule, isAdded: true })),
    ...plan.remove.map((rule) => ({ rule, isAdded: false })),
  ];
  let ifRevision = plan.revision;
  for (let from = 0; from < changes.length; from += ruleChangesLimit) {
    const part = changes.slice(from, from + ruleChangesLimit);
    const rulesThat = (isAdded: boolean) =>
      part.filter((change) => change.isAdded === isAdded).map(({ rule }) => rule);
    const body = { add: rulesThat(true), remove: rulesThat(false) };
    await operator
      .call(changeRulesEndpoint, { params: { id: plan.role.id }, body: { ...body, ifRevision } })
      .catch(
        refusedAs({
          revision_conflict: `The rules of ${plan.role.roleKey} were changed at the same time. Run the same command again.`,
        }),
      );
    ifRevision = operator.revision ?? ifRevision;
    yield body;
  }
}
