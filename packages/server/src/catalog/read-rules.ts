// The rules of roles: from the instance's own memory where it is as new as what Postgres has just said, else from Postgres.
// Tens of thousands of them would take longer to fetch than to compare.
import type { CurrentAccess, CurrentRules, Roles } from '@portcullis/gate';
import type { Store } from '../store/store.ts';
import { listRulesOfRoles, type RuledRole, type RulesOfRole } from './role-rule-store.ts';

export interface RuleMemory {
  readonly rules: Pick<CurrentRules, 'lasting'>;
  readonly roles: Pick<Roles, 'find'>;
  readonly current: Pick<CurrentAccess, 'revision'>;
}

interface RulesInput {
  readonly store: Store;
  readonly memory: RuleMemory | undefined;
  readonly roles: readonly RuledRole[];
}

export async function* readRules({ store, memory, roles }: RulesInput): AsyncGenerator<RulesOfRole> {
  // All of it in one step, which no change comes into: a snapshot stays as it is.
  const rules = memory?.rules.lasting.rules;
  const isHeld = ({ id, roleKey, revision = Number.POSITIVE_INFINITY, count }: RuledRole) =>
    memory !== undefined &&
    // Rules are held by the key. Who knows the role by its number has forgotten those of an earlier role of that key.
    memory.roles.find(id) !== undefined &&
    memory.current.revision.n >= revision &&
    (count === undefined || count === (rules?.get(roleKey)?.size ?? 0));
  const { held = [], stored = [] } = Object.groupBy(roles, (role) => (isHeld(role) ? 'held' : 'stored'));
  for (const { roleKey } of held) yield { roleKey, texts: rules?.get(roleKey)?.texts() ?? [] };
  if (stored.length > 0) yield* listRulesOfRoles(store, stored);
}
