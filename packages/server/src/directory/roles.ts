// The roles, in memory: what the identity check holds a token's role against.
import type { DataScope } from '@portcullis/contract';
import type { Replica } from '../cluster/follower.ts';
import { listEnabledRoles } from './role-store.ts';

export interface Role {
  readonly id: number;
  readonly roleKey: string;
  readonly dataScope: DataScope;
}

export interface Roles extends Replica {
  /** Undefined for a role that is unknown or disabled. */
  find(id: number): Role | undefined;
}

export function createRoles(): Roles {
  let roles = new Map<number, Role>();
  return {
    find: (id) => roles.get(id),
    async load(transaction) {
      const loaded = new Map((await listEnabledRoles(transaction)).map((role) => [role.id, role]));
      return () => {
        roles = loaded;
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
