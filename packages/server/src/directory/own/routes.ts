// What a caller may know about itself.
import { AppError, type getInfoEndpoint, type Handler, type profileEndpoint } from '@portcullis/contract';
import type { Store } from '../../store/store.ts';
import { findProfile } from '../users/user-store.ts';

export interface DirectoryRoutes {
  readonly profile: Handler<typeof profileEndpoint>;
  readonly getInfo: Handler<typeof getInfoEndpoint>;
}

interface DirectoryRoutesOptions {
  readonly store: Store;
  /** What a role may do, as `METHOD /path`. */
  readonly listPermissions: (roleKey: string) => string[];
}

export function createDirectoryRoutes({ store, listPermissions }: DirectoryRoutesOptions): DirectoryRoutes {
  async function getProfile(userId: number) {
    const profile = await findProfile(store, userId);
    if (profile === undefined) throw new AppError('record_not_found');
    return profile;
  }
  return {
    profile: async ({ caller }) => {
      const row = await getProfile(caller.userId);
      const {
        id: userId,
        username,
        nick_name: nickName,
        avatar,
        role_id: roleId,
        department_id: deptId,
      } = row;
      const dept = { deptId, deptName: row.department_name };
      const user = {
        userId,
        username,
        nickName,
        avatar,
        roleId,
        deptId,
        dept,
        createdAt: row.created_at.toISOString(),
      };
      const role = { roleId, roleName: row.role_name, roleKey: row.role_key, dataScope: row.data_scope };
      return { data: { user, roles: [role], posts: [] } };
    },
    getInfo: async ({ caller }) => {
      const row = await getProfile(caller.userId);
      const { username: userName, avatar, introduction, department_id: deptId } = row;
      const permissions = listPermissions(caller.roleKey);
      const names = {
        userId: row.id,
        userName,
        name: row.nick_name || userName,
        avatar,
        introduction,
        deptId,
      };
      return { data: { ...names, roles: [caller.roleKey], permissions, buttons: permissions } };
    },
  };
}
