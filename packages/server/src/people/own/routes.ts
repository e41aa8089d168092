// HTTP routes of the caller's own account: profile, permissions and password.
import {
  AppError,
  type Caller,
  getInfoEndpoint,
  profileEndpoint,
  type Route,
  route,
  setOwnPasswordEndpoint,
} from '@portcullis/contract';
import { findProfile } from '../users/user-store.ts';
import { createSetOwnPassword, type OwnPasswordOptions } from './own-password.ts';

interface OwnRoutesOptions extends OwnPasswordOptions {
  /** The calls that the caller is allowed to make, as `METHOD /path`, and other names by which front ends show buttons. */
  readonly listPermissions: (caller: Caller) => string[] | Promise<string[]>;
}

export function ownRoutes({ store, listPermissions, ...options }: OwnRoutesOptions): Route[] {
  async function getProfile(userId: number) {
    const profile = await findProfile(store, userId);
    if (profile === undefined) throw new AppError('record_not_found');
    return profile;
  }
  return [
    route(profileEndpoint, async ({ caller }) => {
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
        roleIds: [roleId],
        deptId,
        dept,
        createdAt: row.created_at.toISOString(),
      };
      const role = { roleId, roleName: row.role_name, roleKey: row.role_key, dataScope: row.data_scope };
      return { data: { user, roles: [role], posts: [] } };
    }),
    route(getInfoEndpoint, async ({ caller }) => {
      const row = await getProfile(caller.userId);
      const { username: userName, avatar, introduction, department_id: deptId } = row;
      const permissions = await listPermissions(caller);
      const names = {
        userId: row.id,
        userName,
        name: row.nick_name || userName,
        avatar,
        introduction,
        deptId,
      };
      return { data: { ...names, roles: [caller.roleKey], permissions, buttons: permissions } };
    }),
    route(setOwnPasswordEndpoint, createSetOwnPassword({ store, ...options })),
  ];
}
