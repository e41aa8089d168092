// Plans what mappings change for every user who is linked to a provider. The plan is a pure function, so the plan that is shown
// and the plan that is applied are the same computation.
import { createHash } from 'node:crypto';
import type { ProviderKindName, RoleSource } from '@portcullis/contract';
import { createGroupMap, type Mapping } from './map-groups.ts';

export interface LinkedUser {
  readonly linkId: number;
  readonly subject: string;
  readonly userId: number;
  readonly username: string;
  readonly roleId: number;
  readonly departmentId: number;
  /** The login methods that remain when this provider refuses the user. */
  readonly left: readonly MethodLeft[];
}

export type MethodLeft = 'password' | 'passkey' | 'provider';

/** A person according to the provider. */
export interface KnownPerson {
  readonly isActive: boolean;
  /** Undefined when they are not known. */
  readonly groups: readonly string[] | undefined;
}

export interface Wanted {
  readonly kind: ProviderKindName;
  readonly roleSource: RoleSource;
  readonly mappings: readonly Mapping[];
}

export interface PlannedPlacement {
  readonly roleId: number;
  readonly departmentId: number;
}

export type Effect = 'gains' | 'loses' | 'changes' | 'link_refused' | 'locked_out';

export interface PlannedUser {
  readonly user: LinkedUser;
  readonly reason: 'gone' | 'disabled' | 'unmapped' | 'unreadable' | null;
  /** Null when the provider refuses the user. */
  readonly after: PlannedPlacement | null;
}

/** Returns the users who change. Roles follow groups only with the role source `always`. */
export function planRoles(
  { kind, roleSource, mappings }: Wanted,
  users: readonly LinkedUser[],
  people: ReadonlyMap<string, KnownPerson>,
): PlannedUser[] {
  if (roleSource !== 'every_login') return [];
  const map = createGroupMap(kind, mappings);
  return users.flatMap((user): PlannedUser[] => {
    const person = people.get(user.subject);
    if (person === undefined) return [{ user, reason: 'gone', after: null }];
    if (!person.isActive) return [{ user, reason: 'disabled', after: null }];
    // In a directory, unknown groups are groups that exceed a limit: the star does not match such a person.
    const isBeyondLimit = kind === 'ldap' && person.groups === undefined;
    const mapped = isBeyondLimit ? undefined : map(person.groups);
    if (mapped === undefined)
      return [{ user, reason: person.groups === undefined ? 'unreadable' : 'unmapped', after: null }];
    const after = { roleId: mapped.roleId, departmentId: mapped.departmentId ?? user.departmentId };
    const isSame = after.roleId === user.roleId && after.departmentId === user.departmentId;
    return isSame ? [] : [{ user, reason: null, after }];
  });
}

/** The digest of everything that decides the plan, and of the plan. */
export function digestOf(
  { roleSource, mappings }: Wanted,
  provider: { readonly id: number; readonly revision: number },
  planned: readonly PlannedUser[],
): string {
  const rows = planned.map(({ user, reason, after }) => [
    user.userId,
    user.linkId,
    user.roleId,
    user.departmentId,
    reason,
    after?.roleId,
    after?.departmentId,
    after === null ? user.left : [],
  ]);
  const ordered = mappings.map(({ group, roleId, departmentId }) => [group, roleId, departmentId]);
  const all = [provider.id, provider.revision, roleSource, ordered, rows];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}
