// The actions on a role for which the user has permission. The role admin cannot be changed.
export const roleActions = ['edit', 'matrix', 'users', 'enable', 'disable', 'delete'] as const;
export type RoleAction = (typeof roleActions)[number];

interface Situation {
  readonly role: { readonly id: number; readonly roleKey: string; readonly enabled: boolean };
  readonly may: (method: string, path: string) => boolean;
}

export function actionsOf({ role, may }: Situation): RoleAction[] {
  const path = `/api/v1/roles/${role.id}`;
  const isChangeable = role.roleKey !== 'admin';
  const possible: Readonly<Record<RoleAction, boolean>> = {
    // The form first reads the departments of the data scope, so it needs GET too.
    edit: isChangeable && may('PUT', path) && may('GET', path),
    matrix: may('GET', '/api/v1/matrix'),
    users: may('GET', '/api/v1/users'),
    enable: isChangeable && !role.enabled && may('PUT', `${path}/enabled`),
    disable: isChangeable && role.enabled && may('PUT', `${path}/enabled`),
    delete: isChangeable && may('DELETE', path),
  };
  return roleActions.filter((action) => possible[action]);
}
