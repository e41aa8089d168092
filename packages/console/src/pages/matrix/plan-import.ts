// Plans the rule changes of an imported file, role by role.
import { type ChangedRole, type RoleChanges, type Rule, ruleText } from './draft.ts';
import type { MatrixRole } from './load-matrix.ts';

/** The number of rules of a role that one change can add and remove. */
const mostChanges = 1000;

export interface ImportedRule extends Rule {
  readonly roleKey: string;
}

export interface RulesByRole {
  readonly ofRoles: readonly { readonly role: MatrixRole; readonly rules: readonly Rule[] }[];
  /** Keys of roles that do not exist, and `admin`, which gets no rules. */
  readonly refused: readonly string[];
}

export function sortByRole(rules: readonly ImportedRule[], roles: readonly MatrixRole[]): RulesByRole {
  const known = new Map(
    roles.filter(({ roleKey }) => roleKey !== 'admin').map((role) => [role.roleKey, role]),
  );
  const byKey = Map.groupBy(rules, ({ roleKey }) => roleKey);
  return {
    refused: [...byKey.keys()].filter((roleKey) => !known.has(roleKey)),
    ofRoles: [...byKey].flatMap(([roleKey, some]) => {
      const role = known.get(roleKey);
      return role === undefined ? [] : [{ role, rules: some.map(({ method, path }) => ({ method, path })) }];
    }),
  };
}

/** With `isReplacing`, the plan also removes rules that the role has and the file does not have. */
export function planRole(
  role: ChangedRole,
  stored: readonly Rule[],
  wanted: readonly Rule[],
  isReplacing: boolean,
): RoleChanges {
  const has = new Set(stored.map(ruleText));
  const wants = new Map(wanted.map((rule) => [ruleText(rule), rule]));
  return {
    role,
    add: [...wants].filter(([text]) => !has.has(text)).map(([, rule]) => rule),
    remove: isReplacing ? stored.filter((rule) => !wants.has(ruleText(rule))) : [],
  };
}

export function isTooMuch({ add, remove }: RoleChanges): boolean {
  return add.length + remove.length > mostChanges;
}
