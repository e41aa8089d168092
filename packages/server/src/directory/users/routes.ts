// What an administrator sees and changes about users. What takes something away waits for every instance.
import {
  AppError,
  changeUserEndpoint,
  createUserEndpoint,
  defaultPageLimit,
  deleteUserEndpoint,
  getUserEndpoint,
  listUsersEndpoint,
  type Route,
  route,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
} from '@portcullis/contract';
import { answerWrite } from '../../cluster/answer-write.ts';
import { createUserPasswords, type UserPasswordOptions } from '../passwords/user-password.ts';
import { deletion, disabling, editing, enabling, giving, resetting } from './user-actions.ts';
import { createUserChanges, type UserChangesOptions } from './user-changes.ts';
import { createUserCreation } from './user-creation.ts';
import { listUsers } from './user-list-store.ts';
import { isDepartmentInScope, resolveUserScope } from './user-scope.ts';

interface UserRoutesOptions extends UserChangesOptions, UserPasswordOptions {
  /** Lets the user log in from anywhere again, where too many guesses had closed the account. */
  readonly forgiveGuesses: (username: string) => Promise<void>;
}

export function userRoutes(options: UserRoutesOptions): Route[] {
  const { store, listDepartments, forgiveGuesses } = options;
  const changes = createUserChanges(options);
  const createPassword = createUserPasswords(options);
  const createUser = createUserCreation(options, changes, createPassword);
  return [
    route(listUsersEndpoint, async ({ caller, query }) => {
      const scope = await resolveUserScope(caller, listDepartments);
      return { data: await listUsers(store, scope, { limit: defaultPageLimit, ...query }) };
    }),
    route(getUserEndpoint, async ({ caller, params }) => {
      const { user, isDeleted } = await changes.getVisible(caller, params.id);
      if (isDeleted) throw new AppError('record_not_found');
      return { data: user };
    }),
    route(createUserEndpoint, async (call) => {
      const { revision, ...data } = await createUser(call);
      await answerWrite(call, revision);
      return { data };
    }),
    route(changeUserEndpoint, async (call) => {
      const { user, scope } = await changes.getVisible(call.caller, call.params.id);
      const { departmentId } = call.body;
      if (departmentId !== user.departmentId && !isDepartmentInScope(scope, departmentId))
        throw new AppError('record_not_found');
      return await answerWrite(call, changes.change(call, editing(call.body)));
    }),
    route(setUserEnabledEndpoint, (call) =>
      answerWrite(call, changes.change(call, call.body.enabled ? enabling : disabling)),
    ),
    route(setUserPasswordEndpoint, async (call) => {
      const { user } = await changes.getVisible(call.caller, call.params.id);
      const { passwordHash, made } = await createPassword(call.body.password, user);
      await answerWrite(call, changes.change(call, resetting(passwordHash)));
      await forgiveGuesses(user.username);
      return { data: { password: made } };
    }),
    route(setUserRoleEndpoint, async (call) => {
      await changes.checkGiven(call.caller, call.body.roleId);
      return await answerWrite(call, changes.change(call, giving(call.body.roleId)));
    }),
    route(deleteUserEndpoint, (call) => answerWrite(call, changes.change(call, deletion))),
  ];
}
