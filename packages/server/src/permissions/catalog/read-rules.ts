// The rules of roles: from the instance's own memory where it is as new as what Postgres has just said, else from Postgres.
// Tens of thousands of them would take longer to fetch than to compare.
import type { CurrentAccess, CurrentRules, Roles } from '@portcullis/gate';
import type { RoleRules } from '@portcullis/policy';
import type { Store } from '../../cluster/store/store.ts';
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

/** Of a role whose rules come from Postgres there may be several pages. */
export async function readRules({ store, memory, roles }: RulesInput): Promise<readonly RulesOfRole[]> {
  // All of it in one step, which no change comes into: a snapshot stays as it is.
  const rules = memory?.rules.lasting.rules;
  const isHeld = ({ id, roleKey, revision = Number.POSITIVE_INFINITY, count }: RuledRole) =>
    memory !== undefined &&
    // Rules are held by the key. Who knows the role by its number has forgotten those of an earlier role of that key.
    memory.roles.find(id) !== undefined &&
    memory.current.revision.n >= revision &&
    (count === undefined || count === (rules?.get(roleKey)?.size ?? 0));
  const { held = [], stored = [] } = Object.groupBy(roles, (role) => (isHeld(role) ? 'held' : 'stored'));
  const read: RulesOfRole[] = held.map(({ roleKey }) => ({ roleKey, texts: textsOf(rules?.get(roleKey)) }));
  if (stored.length > 0) for await (const page of listRulesOfRoles(store, stored)) read.push(page);
  return read;
}

/** What was unpacked, for as long as a role's rules stay as they are. */
const unpacked = new WeakMap<RoleRules, readonly string[]>();
/** The same text is one object in all roles: who looks it up hashes it once, and compares nothing. */
const shared = new Map<string, string>();
const mostShared = 100_000;
const none: readonly string[] = [];

function textsOf(rules: RoleRules | undefined): readonly string[] {
  if (rules === undefined) return none;
  const known = unpacked.get(rules);
  if (known !== undefined) return known;
  if (shared.size > mostShared) shared.clear();
  const texts = rules.texts().map(share);
  unpacked.set(rules, texts);
  return texts;
}

function share(text: string): string {
  const same = shared.get(text);
  if (same === undefined) shared.set(text, text);
  return same ?? text;
}
