// Creates a user. The username must be distinguishable from all others, and the caller must see the department and be able to
// manage a user with that role in it.
import {
  AppError,
  type Call,
  type createUserEndpoint,
  isOneScript,
  type PasswordLink,
  usernamePattern,
} from '@portcullis/contract';
import { canonicalUsername } from '../../base/values/canonical-username.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { checkName } from '../check-name.ts';
import type { PasswordLinks } from '../passwords/password-links.ts';
import type { CreateUserPassword, UserPasswordOptions } from '../passwords/user-password.ts';
import { insertUser } from './user-access-store.ts';
import type { UserChangesOptions } from './user-changes.ts';
import { isDepartmentInScope, resolveUserScope } from './user-scope.ts';
import { findAccount, noPassword } from './user-store.ts';

export interface UserCreationOptions extends UserChangesOptions, UserPasswordOptions {
  /** Clears the failed login attempts of the account, which could otherwise block a login (brute-force protection). */
  readonly forgiveGuesses: (username: string) => Promise<void>;
  readonly links: Pick<PasswordLinks, 'create'>;
}

type CreateUserCall = Call<typeof createUserEndpoint>;

const usernameShape = new RegExp(usernamePattern, 'u');

export function createUserCreation(
  {
    store,
    access,
    listDepartments,
    canManage,
    recordChange,
    hashes,
    forgiveGuesses,
    links,
  }: UserCreationOptions,
  createPassword: CreateUserPassword,
) {
  return async (call: CreateUserCall) => {
    const { name, departmentId, roleId, mail, invite, kind = 'person' } = call.body;
    const isPerson = kind === 'person';
    if (isPerson) hashes.admit(call.caller);
    else if (call.body.password !== undefined || invite) throw new AppError('account_kind_wrong');
    if (invite && call.body.password !== undefined) throw new AppError('params_invalid');
    const username = parseUsername(call.body.username);
    checkName(name);
    const scope = await resolveUserScope(call.caller, listDepartments);
    if (!isDepartmentInScope(scope, departmentId)) throw new AppError('record_not_found');
    const checkReach = (transaction: StoreTransaction) =>
      canManage.ofUser(transaction, call.caller, undefined, [{ roleId, departmentId }]);
    // Checked here too, before the transaction: a call that will be refused, or whose username is taken, must not cost a hash.
    await store.transaction().execute(checkReach);
    if ((await findAccount(store, username)) !== undefined) throw new AppError('conflict');
    const { passwordHash, made } =
      isPerson && !invite
        ? await createPassword(call.caller, call.body.password, { username, name })
        : { passwordHash: noPassword, made: null };
    const user = { username, name, departmentId, roleId, ...(isPerson ? {} : { kind }) };
    let id = 0;
    let invitation: PasswordLink | undefined;
    const revision = access.give(call, async (transaction) => {
      await checkReach(transaction);
      const names = { ...user, canonicalUsername: canonicalUsername(username) };
      id = await insertUser(transaction, { ...names, passwordHash, mail });
      if (invite) invitation = await links.create(transaction, { id, mail: mail ?? null });
      const after = {
        ...user,
        enabled: true,
        passwordChangeRequired: isPerson,
        ...(mail === undefined ? {} : { mail }),
        ...(invite ? { invited: true } : {}),
      };
      const target = `user ${id}`;
      await recordChange(transaction, call, { action: 'user.create', target, before: null, after });
      return [];
    });
    await revision;
    // Failed login attempts from before the account existed must not block it.
    await forgiveGuesses(username);
    return { id, password: made, ...(invitation && { invitation }), revision };
  };
}

/**
 * Normalises the username as a lookup does, except for the case. No two usernames look alike only because of their encoding or
 * because of letters of another script.
 */
function parseUsername(text: string): string {
  const username = text.normalize('NFKC');
  if (!usernameShape.test(username)) throw new AppError('params_invalid');
  if (!isOneScript(username)) throw new AppError('name_unclear');
  return username;
}
