// HTTP routes of users, for administrators: list, search, read, create, change and delete. A call that takes access away is
// answered when every instance enforces the change.
import {
  AppError,
  type Caller,
  changeUserEndpoint,
  createUserEndpoint,
  defaultPageLimit,
  deleteUserEndpoint,
  getUserEndpoint,
  type LastLogin,
  listUsersEndpoint,
  type Route,
  route,
  setUserEnabledEndpoint,
  setUserMailEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
} from '@portcullis/contract';
import { answerWrite } from '../../cluster/answer-write.ts';
import { createUserPasswords } from '../passwords/user-password.ts';
import {
  deleteChange,
  disableChange,
  enableChange,
  fieldChange,
  mailChange,
  passwordChange,
  roleChange,
} from './user-actions.ts';
import { createUserChanges } from './user-changes.ts';
import { createUserCreation, type UserCreationOptions } from './user-creation.ts';
import { listUsers } from './user-list-store.ts';
import { isDepartmentInScope, resolveUserScope } from './user-scope.ts';
import { searchUsers } from './user-search-store.ts';

interface UserRoutesOptions extends UserCreationOptions {
  readonly findLastLogin: (caller: Caller, userId: number) => Promise<LastLogin | null>;
}

export function userRoutes(options: UserRoutesOptions): Route[] {
  const { store, listDepartments, hashes, forgiveGuesses, findLastLogin } = options;
  const changes = createUserChanges(options);
  const createPassword = createUserPasswords(options);
  const createUser = createUserCreation(options, createPassword);
  return [
    route(listUsersEndpoint, async ({ caller, query }) => {
      const scope = await resolveUserScope(caller, listDepartments);
      const { search, ...asked } = { limit: defaultPageLimit, ...query };
      return {
        data: await (search === undefined
          ? listUsers(store, scope, asked)
          : searchUsers(store, scope, { ...asked, search })),
      };
    }),
    route(getUserEndpoint, async ({ caller, params }) => {
      const { user, isDeleted } = await changes.getVisible(caller, params.id);
      if (isDeleted) throw new AppError('record_not_found');
      return { data: { ...user, lastLogin: await findLastLogin(caller, user.id) } };
    }),
    route(createUserEndpoint, async (call) => {
      const { revision, ...data } = await createUser(call);
      await answerWrite(call, revision);
      return { data };
    }),
    route(changeUserEndpoint, async (call) => {
      const { user, scope } = await changes.getVisible(call.caller, call.params.id);
      const { departmentId } = call.body;
      const isMoved = departmentId !== undefined && departmentId !== user.departmentId;
      if (isMoved && !isDepartmentInScope(scope, departmentId)) throw new AppError('record_not_found');
      return await answerWrite(call, changes.change(call, fieldChange(call.body)));
    }),
    route(setUserEnabledEndpoint, (call) =>
      answerWrite(call, changes.change(call, call.body.enabled ? enableChange : disableChange)),
    ),
    route(setUserPasswordEndpoint, async (call) => {
      hashes.admit(call.caller);
      const { user } = await changes.getVisible(call.caller, call.params.id);
      if (user.kind !== 'person') throw new AppError('account_kind_wrong');
      const { passwordHash, made } = await createPassword(call.caller, call.body.password, user);
      await answerWrite(call, changes.change(call, passwordChange(passwordHash)));
      await forgiveGuesses(user.username);
      return { data: { password: made } };
    }),
    route(setUserRoleEndpoint, (call) => answerWrite(call, changes.change(call, roleChange(call.body)))),
    route(setUserMailEndpoint, (call) => answerWrite(call, changes.change(call, mailChange(call.body.mail)))),
    route(deleteUserEndpoint, (call) => answerWrite(call, changes.change(call, deleteChange))),
  ];
}
