// Which role somebody's groups give: the first mapping that matches, and no other. A star stands for everybody whom the
// provider knows, and never gives `admin`.
import type { ProviderKindName } from '@portcullis/contract';
import { adminRoleId } from '../../../people/roles/role-store.ts';
import { canonicalDn } from '../ldap/distinguished-name.ts';

export interface Mapping {
  /** As the provider names it: of a directory a distinguished name. */
  readonly group: string;
  readonly roleId: number;
  /** The provider's, where it is null. */
  readonly departmentId: number | null;
}

const everybody = '*';

/** Whether the mappings can be stored. */
export function areSound(kind: ProviderKindName, mappings: readonly Mapping[]): boolean {
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
  /** Where the groups are not known, a mapping matches only if no group could match before it. */
  return (groups: readonly string[] | undefined): Mapping | undefined => {
    if (groups === undefined) return spelled[0]?.group === everybody ? spelled[0].mapping : undefined;
    const names = new Set(groups);
    return spelled.find(({ group }) => group === everybody || names.has(group))?.mapping;
  };
}

function canonicalGroup(kind: ProviderKindName, group: string): string | undefined {
  return kind !== 'ldap' || group === everybody ? group : canonicalDn(group);
}
