// How a user is created: with a name that can be told from all others, a role that the caller may give, in a department
// that the caller sees.
import { AppError, type Call, type createUserEndpoint, usernamePattern } from '@portcullis/contract';
import { canonicalUsername } from '../../values/canonical-username.ts';
import type { CreateUserPassword } from '../passwords/user-password.ts';
import { insertUser } from './user-access-store.ts';
import type { UserChanges, UserChangesOptions } from './user-changes.ts';
import { isDepartmentInScope, resolveUserScope } from './user-scope.ts';

type CreateUserCall = Call<typeof createUserEndpoint>;

const usernameShape = new RegExp(usernamePattern, 'u');

export function createUserCreation(
  { access, listDepartments, recordChange }: UserChangesOptions,
  { checkGiven }: Pick<UserChanges, 'checkGiven'>,
  createPassword: CreateUserPassword,
) {
  return async (call: CreateUserCall) => {
    const { name, departmentId, roleId } = call.body;
    const username = parseUsername(call.body.username);
    const scope = await resolveUserScope(call.caller, listDepartments);
    if (!isDepartmentInScope(scope, departmentId)) throw new AppError('record_not_found');
    await checkGiven(call.caller, roleId);
    const { passwordHash, made } = await createPassword(call.body.password, { username, name });
    const user = { username, name, departmentId, roleId };
    let id = 0;
    const revision = access.give(async (transaction) => {
      const names = { ...user, canonicalUsername: canonicalUsername(username) };
      id = await insertUser(transaction, { ...names, passwordHash });
      const after = { ...user, enabled: true, passwordDue: true };
      const target = `user ${id}`;
      await recordChange(transaction, call, { action: 'user.create', target, before: null, after });
      return [];
    });
    await revision;
    return { id, password: made, revision };
  };
}

/** In the form that is looked up, but for capitals: no two names look alike by their encoding alone. */
function parseUsername(text: string): string {
  const username = text.normalize('NFKC');
  if (!usernameShape.test(username)) throw new AppError('params_invalid');
  return username;
}
