// Maps the groups of an identity provider to a role: the first mapping that matches decides, and no other. The star matches
// every person of the provider, and never gives `admin`.
import type { ProviderKindName } from '@portcullis/contract';
import { adminRoleId } from '../../../people/roles/role-store.ts';
import { canonicalDn } from '../ldap/distinguished-name.ts';

export interface Mapping {
  /** The name at the provider; in a directory, a distinguished name. */
  readonly group: string;
  readonly roleId: number;
  /** Null: a new user gets the provider's department, and any other user keeps the current one. */
  readonly departmentId: number | null;
}

const everybody = '*';

/** Whether the mappings are valid. */
export function areMappingsValid(kind: ProviderKindName, mappings: readonly Mapping[]): boolean {
  return mappings.every(
    ({ group, roleId }) =>
      canonicalGroup(kind, group) !== undefined && (group !== everybody || roleId !== adminRoleId),
  );
}

export function createGroupMap(kind: ProviderKindName, mappings: readonly Mapping[]) {
  const spelled = mappings.flatMap((mapping) => {
    const group = mapping.group === everybody ? everybody : canonicalGroup(kind, mapping.group);
    const isVoid = group === undefined || (group === everybody && mapping.roleId === adminRoleId);
    return isVoid ? [] : [{ group, mapping }];
  });
  /** Unknown groups match a star only when it is the first mapping: no group could match before it. */
  return (groups: readonly string[] | undefined): Mapping | undefined => {
    if (groups === undefined) return spelled[0]?.group === everybody ? spelled[0].mapping : undefined;
    const names = new Set(groups);
    return spelled.find(({ group }) => group === everybody || names.has(group))?.mapping;
  };
}

function canonicalGroup(kind: ProviderKindName, group: string): string | undefined {
  return kind !== 'ldap' || group === everybody ? group : canonicalDn(group);
}
