// What mappings would make of everybody who is linked to a provider: pure, so that what is shown and what is applied are
// one computation.
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
  /** How the person can sign in when this provider refuses. */
  readonly left: readonly MethodLeft[];
}

export type MethodLeft = 'password' | 'passkey' | 'provider';

/** As the provider knows a person. */
export interface KnownPerson {
  readonly isActive: boolean;
  /** Undefined where they are not known. */
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
  readonly because: 'gone' | 'disabled' | 'unmapped' | 'unreadable' | null;
  /** Null where the provider lets the user in no more. */
  readonly after: PlannedPlacement | null;
}

/** Those of whom something changes. Roles follow groups only where the provider always says the role. */
export function planRoles(
  { kind, roleSource, mappings }: Wanted,
  users: readonly LinkedUser[],
  people: ReadonlyMap<string, KnownPerson>,
): PlannedUser[] {
  if (roleSource !== 'always') return [];
  const map = createGroupMap(kind, mappings);
  return users.flatMap((user): PlannedUser[] => {
    const person = people.get(user.subject);
    if (person === undefined) return [{ user, because: 'gone', after: null }];
    if (!person.isActive) return [{ user, because: 'disabled', after: null }];
    // A person of a directory whose groups exceed a limit matches no star either.
    const isBeyondLimit = kind === 'ldap' && person.groups === undefined;
    const mapped = isBeyondLimit ? undefined : map(person.groups);
    if (mapped === undefined)
      return [{ user, because: person.groups === undefined ? 'unreadable' : 'unmapped', after: null }];
    const after = { roleId: mapped.roleId, departmentId: mapped.departmentId ?? user.departmentId };
    const isSame = after.roleId === user.roleId && after.departmentId === user.departmentId;
    return isSame ? [] : [{ user, because: null, after }];
  });
}

/** Of all that decides, and all that follows. */
export function digestOf(
  { roleSource, mappings }: Wanted,
  provider: { readonly id: number; readonly revision: number },
  planned: readonly PlannedUser[],
): string {
  const rows = planned.map(({ user, because, after }) => [
    user.userId,
    user.linkId,
    user.roleId,
    user.departmentId,
    because,
    after?.roleId,
    after?.departmentId,
    after === null ? user.left : [],
  ]);
  const ordered = mappings.map(({ group, roleId, departmentId }) => [group, roleId, departmentId]);
  const all = [provider.id, provider.revision, roleSource, ordered, rows];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}
