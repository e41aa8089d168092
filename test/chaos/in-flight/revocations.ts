// Every way in which a caller loses what a write rests on, as the call that does it.
import type { Cluster, Instance } from '../start-cluster.ts';
import { plainRoleId } from './writes.ts';

export interface Revoked {
  readonly userId: number;
  readonly roleId: number;
  readonly token: string;
  /** Where a caller is moved who sees the own department and those below. */
  readonly elsewhere: number;
}

/** Who can be revoked so: by a change of the user, or of a role without other holders. */
export type Kind = 'user' | 'role' | 'moved';

interface Revocation {
  readonly kind: Kind;
  readonly run: (cluster: Cluster, writer: Instance, revoked: Revoked) => Promise<unknown>;
}

export const wholeRule = { method: '*', path: '/api/v1/*' };

/** The control group: its writes are to be stored. */
export const nothing = 'take nothing away';

export const revocations: Readonly<Record<string, Revocation>> = {
  [nothing]: { kind: 'user', run: async () => {} },
  'log out': {
    kind: 'user',
    run: (cluster, writer, { token }) => cluster.logOut(writer, token),
  },
  disable: {
    kind: 'user',
    run: (cluster, writer, { userId }) =>
      cluster.command(writer, 'PUT', `/api/v1/users/${userId}/enabled`, { enabled: false }),
  },
  delete: {
    kind: 'user',
    run: (cluster, writer, { userId }) => cluster.command(writer, 'DELETE', `/api/v1/users/${userId}`),
  },
  'end the sessions': {
    kind: 'user',
    run: (cluster, writer, { userId }) =>
      cluster.command(writer, 'DELETE', `/api/v1/users/${userId}/sessions`),
  },
  'give another role': {
    kind: 'user',
    run: (cluster, writer, { userId }) =>
      cluster.command(writer, 'PUT', `/api/v1/users/${userId}/role`, { roleId: plainRoleId }),
  },
  'reset the password': {
    kind: 'user',
    run: (cluster, writer, { userId }) =>
      cluster.command(writer, 'PUT', `/api/v1/users/${userId}/password`, {}),
  },
  move: {
    kind: 'moved',
    run: (cluster, writer, { userId, elsewhere }) =>
      cluster.command(writer, 'PUT', `/api/v1/users/${userId}`, { name: 'Moved', departmentId: elsewhere }),
  },
  'take the rule away': {
    kind: 'role',
    run: (cluster, writer, { roleId }) =>
      cluster.command(writer, 'POST', `/api/v1/roles/${roleId}/rules`, { remove: [wholeRule] }),
  },
  'disable the role': {
    kind: 'role',
    run: (cluster, writer, { roleId }) =>
      cluster.command(writer, 'PUT', `/api/v1/roles/${roleId}/enabled`, { enabled: false }),
  },
};
