// Reads the rules of roles: from the instance's memory if it is as new as the revision in Postgres, otherwise from
// Postgres. Fetching tens of thousands of rules would take longer than comparing them.
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

/** The rules of a role from Postgres can be split over several entries of the result. */
export async function readRules({ store, memory, roles }: RulesInput): Promise<readonly RulesOfRole[]> {
  // Read the snapshot once: it is immutable, so no change can arrive in between.
  const rules = memory?.rules.lasting.rules;
  const isHeld = ({ id, roleKey, revision = Number.POSITIVE_INFINITY, count }: RuledRole) =>
    memory !== undefined &&
    // Memory stores rules by the role key. If it has the role with this id, it no longer has the rules of an earlier role
    // with the same key.
    memory.roles.find(id) !== undefined &&
    memory.current.revision.n >= revision &&
    (count === undefined || count === (rules?.get(roleKey)?.size ?? 0));
  const { held = [], stored = [] } = Object.groupBy(roles, (role) => (isHeld(role) ? 'held' : 'stored'));
  const read: RulesOfRole[] = held.map(({ roleKey }) => ({ roleKey, texts: textsOf(rules?.get(roleKey)) }));
  if (stored.length > 0) for await (const page of listRulesOfRoles(store, stored)) read.push(page);
  return read;
}

/** Cache of unpacked rules, while the rules of a role do not change. */
const unpacked = new WeakMap<RoleRules, readonly string[]>();
/** String interning: equal texts of all roles share one string, so a map hashes it once and compares by identity. */
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
