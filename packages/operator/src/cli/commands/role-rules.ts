// Loads a role by its key, and all its rules with the revision at which they were read. The commands
// on rules share this file.
import {
  listRolesEndpoint,
  listRulesEndpoint,
  listTemporaryRulesEndpoint,
  type RoleItem,
} from '@portcullis/contract';
import type { Operator } from '../../compose-operator.ts';
import { CommandFailure } from '../../terminal/exit-codes.ts';
import { readAll } from '../../terminal/list-all.ts';

export interface RuleOfRole {
  readonly method: string;
  readonly path: string;
}

export interface RoleRules {
  readonly role: RoleItem;
  readonly rules: readonly RuleOfRole[];
  /**
   * Optimistic lock: the server refuses a change that was decided on these rules if the rules have
   * changed since this revision.
   */
  readonly revision: number;
}

export async function readRoles(operator: Operator): Promise<Map<string, RoleItem>> {
  const roles = await readAll(async (query) => (await operator.call(listRolesEndpoint, { query })).data);
  return new Map(roles.map((role) => [role.roleKey, role]));
}

export async function getRole(operator: Operator, roleKey: string): Promise<RoleItem> {
  const role = (await readRoles(operator)).get(roleKey);
  if (role === undefined)
    throw new CommandFailure(`There is no role ${roleKey}. \`portcullis role list\` lists the roles.`);
  return role;
}

/** For commands that change rules: `admin` passes every check without rules, so it can get none. */
export function refuseAdmin(roleKey: string): void {
  if (roleKey === 'admin')
    throw new CommandFailure('The role admin may call everything without a rule. Name another role.');
}

export async function readTemporaryRules(operator: Operator, { id }: RoleItem) {
  return (await operator.call(listTemporaryRulesEndpoint, { params: { id } })).data.items;
}

export async function readRules(operator: Operator, role: RoleItem): Promise<RoleRules> {
  let revision = Number.MAX_SAFE_INTEGER;
  const rules = await readAll(async (query) => {
    const { data } = await operator.call(listRulesEndpoint, { params: { id: role.id }, query });
    // Keep the revision of the first page: if a change happens between two pages, the server then
    // refuses the outdated edit.
    revision = Math.min(revision, data.revision);
    return data;
  });
  return { role, rules, revision };
}
