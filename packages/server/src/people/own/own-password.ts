// Change of the caller's own password: verifies the old password, stores the new one and ends all sessions of the caller.
import {
  type Account,
  AppError,
  type Call,
  type Caller,
  type Handler,
  type setOwnPasswordEndpoint,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { RecordChange } from '../../logs/audit/record-change.ts';
import type { PasswordRules } from '../passwords/password-rules.ts';
import type { CallerHashes } from '../passwords/user-password.ts';
import { changeOwnPassword } from '../users/user-access-store.ts';
import { findUser } from '../users/user-list-store.ts';

export interface OwnPasswordOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly rules: PasswordRules;
  /** Undefined if the password is wrong. A wrong password counts as a failed attempt of this user (brute-force protection). */
  readonly verifyPassword: (
    caller: Pick<Caller, 'userId'>,
    username: string,
    password: string,
  ) => Promise<Account | undefined>;
  readonly hashes: CallerHashes;
  readonly clearCookie: (answer: Pick<Call, 'setHeader'>) => void;
  readonly recordChange: RecordChange;
}

export function createSetOwnPassword(options: OwnPasswordOptions): Handler<typeof setOwnPasswordEndpoint> {
  const { store, access, rules, verifyPassword, hashes, clearCookie, recordChange } = options;

  async function verifyOwn({ caller, body }: Call<typeof setOwnPasswordEndpoint>): Promise<Account> {
    const found = await findUser(store, caller.userId);
    if (found === undefined || found.isDeleted) throw new AppError('record_not_found');
    rules.check(body.newPassword, found.user, body.oldPassword);
    const account = await verifyPassword(caller, found.user.username, body.oldPassword);
    if (account?.userId !== caller.userId) throw new AppError('credentials_wrong');
    return account;
  }

  return async (call) => {
    const account = await verifyOwn(call);
    const passwordHash = await hashes.hash(call.caller, call.body.newPassword);
    const revision = access.takeAway(call, async (transaction) => {
      const changes = await changeOwnPassword(transaction, account, passwordHash);
      const target = `user ${account.userId}`;
      const entry = { before: null, after: { passwordChangeRequired: false } };
      await recordChange(transaction, call, { action: 'user.own_password', target, ...entry });
      return changes;
    });
    clearCookie(call);
    return await answerWrite(call, revision);
  };
}
