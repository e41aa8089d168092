// The changes of a role's rules, each in its transaction: lock, ask whether the caller may, change, write it down. The
// rules of `admin` decide nothing, so it gets none.
import { AppError, type Caller, listedRulesLimit } from '@portcullis/contract';
import type { RuleChange } from '@portcullis/gate';
import { parseRule } from '@portcullis/policy';
import type { AuditedCall, RecordChange } from '../audit/record-change.ts';
import type { AccessChange } from '../cluster/access-writer.ts';
import type { StoreTransaction } from '../store/store.ts';
import { insertHistory, readChangesSince, readRulesRevision, splitChanges } from './rule-history-store.ts';
import { changeRules, lockRole, type RuleChanges, type RuledRole, type RuleOfRole } from './rule-store.ts';

export interface RuleReach {
  /** Whether the caller may change this role at all. */
  readonly mayTouchRole: (transaction: StoreTransaction, caller: Caller, roleId: number) => Promise<boolean>;
  /** Whether the caller's own role may do what the rule allows. */
  readonly mayDo: (roleKey: string, rule: RuleOfRole) => boolean;
}

interface RuleChangesOptions extends RuleReach {
  readonly recordChange: RecordChange;
}

type ChangeCall = AuditedCall & { readonly params: { readonly id: number } };
interface Draft extends RuleChanges {
  readonly ifRevision: number | undefined;
}

export function createRuleChanges({ recordChange, mayTouchRole, mayDo }: RuleChangesOptions) {
  async function lock(transaction: StoreTransaction, call: ChangeCall, ifRevision: number | undefined) {
    const role = await lockRole(transaction, call.params.id);
    if (role.roleKey === 'admin') throw new AppError('conflict');
    if (!(await mayTouchRole(transaction, call.caller, role.id))) throw new AppError('permission_denied');
    if (ifRevision !== undefined && (await readRulesRevision(transaction, role)) > ifRevision)
      throw new AppError('conflict');
    return role;
  }

  async function apply(
    transaction: StoreTransaction,
    call: ChangeCall,
    role: RuledRole,
    wanted: RuleChanges & { rolledBackTo: number | null },
  ): Promise<RuleChange[]> {
    const { caller } = call;
    const mayAdd = caller.roleKey === 'admin' || wanted.add.every((rule) => mayDo(caller.roleKey, rule));
    if (!mayAdd) throw new AppError('permission_denied');
    const changes = await changeRules(transaction, role, wanted);
    if (changes.length === 0) return changes;
    const { rolledBackTo } = wanted;
    await insertHistory(transaction, { roleId: role.id, caller, changes, rolledBackTo });
    const { added, removed } = splitChanges(changes);
    await recordChange(transaction, call, {
      action: rolledBackTo === null ? 'rules.change' : 'rules.rollback',
      target: `role ${role.id}`,
      before: { removed: briefly(removed) },
      after: { added: briefly(added), ...(rolledBackTo === null ? {} : { rolledBackTo }) },
    });
    return changes;
  }

  return {
    change:
      (call: ChangeCall, { ifRevision, ...changes }: Draft): AccessChange =>
      async (transaction) => {
        const role = await lock(transaction, call, ifRevision);
        return await apply(transaction, call, role, { ...changes, rolledBackTo: null });
      },

    /** Refused where the history does not reach back as far, or too much has changed since. */
    rollback:
      (call: ChangeCall, revision: number, ifRevision: number | undefined): AccessChange =>
      async (transaction) => {
        const role = await lock(transaction, call, ifRevision);
        if (revision < role.recordedFrom) throw new AppError('conflict');
        const changes = await readChangesSince(transaction, role.id, revision);
        if (changes === undefined) throw new AppError('conflict');
        const add = changes.add.filter(isInGrammar);
        return await apply(transaction, call, role, { add, remove: changes.remove, rolledBackTo: revision });
      },
  };
}

/** The history has them all. */
function briefly(rules: readonly RuleOfRole[]) {
  return { count: rules.length, items: rules.slice(0, listedRulesLimit) };
}

/** Any role key will do here: the role's own is known to be good. */
export function isInGrammar(rule: RuleOfRole): boolean {
  return 'rule' in parseRule({ roleKey: 'any', ...rule });
}
