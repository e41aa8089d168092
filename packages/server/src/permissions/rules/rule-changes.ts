// Changes of a role's rules, each in one transaction: lock, check the caller's permission, change, and record it in the
// history and the audit log. The role `admin` gets no rules, because they would have no effect.
import { AppError, type Caller, listedRulesLimit, type TimedRule } from '@portcullis/contract';
import type { RuleChange } from '@portcullis/gate';
import { parseRule } from '@portcullis/policy';
import type { AccessChange } from '../../cluster/access-writer.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { insertHistory, readChangesSince, readRulesRevision, splitChanges } from './rule-history-store.ts';
import { changeRules, lockRole, type RuleChanges, type RuledRole, type RuleOfRole } from './rule-store.ts';
import { removeTemporaryRules, setTemporaryRules } from './temporary-rule-store.ts';

export interface CanGrantRules {
  /** Throws if the rules exceed the caller's permissions, or the role's data scope exceeds the caller's. */
  readonly checkRules: (
    transaction: StoreTransaction,
    caller: Caller,
    roleId: number,
    rules: readonly RuleOfRole[],
  ) => Promise<void>;
}

interface RuleChangesOptions extends CanGrantRules {
  readonly recordChange: RecordChange;
}

type ChangeCall = AuditedCall & { readonly params: { readonly id: number } };
interface TemporaryDraft {
  readonly set: readonly TimedRule[];
  readonly remove: readonly RuleOfRole[];
}
interface Draft extends RuleChanges {
  readonly ifRevision: number | undefined;
}

export function createRuleChanges({ recordChange, checkRules }: RuleChangesOptions) {
  async function lock(transaction: StoreTransaction, call: ChangeCall, ifRevision: number | undefined) {
    const role = await lockRole(transaction, call.params.id);
    if (role.roleKey === 'admin') throw new AppError('conflict');
    const revision = ifRevision === undefined ? 0 : await readRulesRevision(transaction, role);
    if (ifRevision !== undefined && revision > ifRevision)
      throw new AppError('revision_conflict', { details: { revision, current: {} } });
    return role;
  }

  async function apply(
    transaction: StoreTransaction,
    call: ChangeCall,
    role: RuledRole,
    wanted: RuleChanges & { rolledBackTo: number | null },
  ): Promise<RuleChange[]> {
    const { caller } = call;
    await checkRules(transaction, caller, role.id, [...wanted.add, ...wanted.remove]);
    const changes = await changeRules(transaction, role, wanted);
    if (changes.length === 0) return changes;
    const { rolledBackTo } = wanted;
    await insertHistory(transaction, { roleId: role.id, caller, changes, rolledBackTo });
    const { added, removed } = splitChanges(changes);
    await recordChange(transaction, call, {
      action: rolledBackTo === null ? 'rules.update' : 'rules.rollback',
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

    /** One change for adding, shortening and removing: an earlier end is a revocation, too. */
    changeTemporary:
      (call: ChangeCall, { set, remove }: TemporaryDraft): AccessChange =>
      async (transaction) => {
        const role = await lock(transaction, call, undefined);
        await checkRules(transaction, call.caller, role.id, [...set, ...remove]);
        const changes = [
          ...(await removeTemporaryRules(transaction, role, remove)),
          ...(await setTemporaryRules(transaction, role, set, call.caller.username)),
        ];
        if (changes.length === 0) return changes;
        await recordChange(transaction, call, {
          action: 'rules.temporary',
          target: `role ${role.id}`,
          before: { removed: changes.filter(({ kind }) => kind === 'temporary_rule_removed').map(ruleOf) },
          after: { set },
        });
        return changes;
      },

    rollback:
      (call: ChangeCall, revision: number, ifRevision: number | undefined): AccessChange =>
      async (transaction) => {
        const role = await lock(transaction, call, ifRevision);
        const changes = await readRollback(transaction, role, revision);
        return await apply(transaction, call, role, { ...changes, rolledBackTo: revision });
      },
  };
}

function ruleOf({ method, path }: RuleOfRole): RuleOfRole {
  return { method, path };
}

/** Throws a conflict if the history does not go back to the revision, or if too many rules have changed since. */
export async function readRollback(store: Store, role: RuledRole, revision: number): Promise<RuleChanges> {
  if (revision < role.recordedFrom) throw new AppError('conflict');
  const changes = await readChangesSince(store, role.id, revision);
  if (changes === undefined) throw new AppError('conflict');
  return { add: changes.add.filter(isInGrammar), remove: changes.remove };
}

/** Limits the rules in an audit record. The history stores all of them. */
function briefly(rules: readonly RuleOfRole[]) {
  return { count: rules.length, items: rules.slice(0, listedRulesLimit) };
}

/** Any valid role key works here, because the key of the role was validated before. */
export function isInGrammar(rule: RuleOfRole): boolean {
  return 'rule' in parseRule({ roleKey: 'any', ...rule });
}
