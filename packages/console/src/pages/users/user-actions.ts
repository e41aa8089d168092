// The actions on a user for which the caller has permission and that the service does not refuse anyway. Users cannot
// revoke their own access here.
export const userActions = [
  'edit',
  'role',
  'password',
  'mail',
  'invite',
  'enable',
  'disable',
  'endSessions',
  'delete',
  'export',
  'erase',
] as const;
export type UserAction = (typeof userActions)[number];

/** The actions in the menu of a row; the page of the user has all. */
export const rowActions: readonly UserAction[] = ['edit', 'role', 'password', 'enable', 'disable'];

interface Situation {
  readonly user: { readonly id: number; readonly enabled: boolean; readonly kind?: 'person' | 'service' };
  readonly ownId: number | undefined;
  readonly may: (method: string, path: string) => boolean;
}

export function actionsOf({ user, ownId, may }: Situation): UserAction[] {
  const path = `/api/v1/users/${user.id}`;
  const isOther = user.id !== ownId;
  const possible: Readonly<Record<UserAction, boolean>> = {
    edit: may('PUT', path),
    role: isOther && may('PUT', `${path}/role`) && may('GET', '/api/v1/roles'),
    password: isOther && user.kind !== 'service' && may('PUT', `${path}/password`),
    mail: isOther && user.kind !== 'service' && may('PUT', `${path}/mail`),
    invite: isOther && user.kind !== 'service' && user.enabled && may('POST', `${path}/password-link`),
    enable: !user.enabled && may('PUT', `${path}/enabled`),
    disable: isOther && user.enabled && may('PUT', `${path}/enabled`),
    endSessions: may('DELETE', `${path}/sessions`),
    delete: isOther && may('DELETE', path),
    export: may('GET', `${path}/export`),
    erase: isOther && may('POST', `${path}/erase`),
  };
  return userActions.filter((action) => possible[action]);
}
