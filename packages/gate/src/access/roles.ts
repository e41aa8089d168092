// The roles in memory. The identity check compares the role in a token with them.
import type { ReadableReplica } from './follower.ts';
import type { Role } from './snapshot-record.ts';

export interface Roles extends ReadableReplica {
  /** Undefined for a role that is unknown or disabled. */
  find(id: number): Role | undefined;
}

export function createRoles(): Roles {
  let roles = new Map<number, Role>();
  return {
    find: (id) => roles.get(id),
    snapshotRecords: () => [
      { kind: 'roles', roles: [...roles.values()].sort((one, other) => one.id - other.id) },
    ],
    load() {
      const loaded = new Map<number, Role>();
      return {
        take(piece) {
          if (piece.kind === 'roles') for (const role of piece.roles) loaded.set(role.id, role);
        },
        finish: () => () => {
          roles = loaded;
        },
      };
    },
    apply(changes) {
      for (const change of changes) {
        if (change.kind === 'role_disabled') roles.delete(change.id);
        if (change.kind !== 'role_set') continue;
        const { id, roleKey, dataScope } = change;
        roles.set(id, { id, roleKey, dataScope });
      }
    },
  };
}
