// HTTP routes of password links: request a reset by mail (forgot password), set a password with a link, and create a link for
// another user. No answer reveals whether an address is known, and no answer contains a token.
import { createHmac } from 'node:crypto';
import {
  type Account,
  AppError,
  type Call,
  type Caller,
  createPasswordLinkEndpoint,
  forgotPasswordEndpoint,
  type PasswordLink,
  type Route,
  resetPasswordEndpoint,
  route,
} from '@portcullis/contract';
import { networkOf } from '../../base/values/network.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { AuditedCall } from '../../logs/audit/record-change.ts';
import { findCode, insertResetRequest, spendCode } from '../passwords/password-code-store.ts';
import type { PasswordLinkCode, PasswordLinks } from '../passwords/password-links.ts';
import type { PasswordRules } from '../passwords/password-rules.ts';
import type { CallerHashes } from '../passwords/user-password.ts';
import { raiseEpoch } from '../users/epoch-store.ts';
import { lockUser } from '../users/user-access-store.ts';
import { createUserChanges, type UserChange, type UserChangesOptions } from '../users/user-changes.ts';
import { findUser } from '../users/user-list-store.ts';
import { findAccountOf } from '../users/user-store.ts';

export interface PasswordRoutesOptions extends UserChangesOptions {
  readonly links: PasswordLinks;
  readonly rules: PasswordRules;
  readonly hashes: CallerHashes;
  /** Consumes the captcha; throws if the answer is wrong. */
  readonly checkCaptcha: (body: { uuid?: string; code?: string }) => Promise<void>;
  readonly forgiveGuesses: (username: string) => Promise<void>;
  /** Whether the user has a second factor. */
  readonly hasFactor: (userId: number) => Promise<boolean>;
  /** Key of the HMAC under which addresses and networks are counted, so that no address is stored. */
  readonly countKey: Buffer;
  readonly caps: {
    readonly resetLinksPerAddressPerDay: number;
    readonly resetLinksPerNetworkPerDay: number;
    readonly resetLinksPerDay: number;
  };
}

/** The limits are per day, so a retry after an hour can still be refused. */
const retryAfterSeconds = 3600;

export function passwordRoutes(options: PasswordRoutesOptions): Route[] {
  const { store, access, links, rules, hashes, recordChange, checkCaptcha, forgiveGuesses, hasFactor } =
    options;
  const changes = createUserChanges(options);
  const count = createCounts(options);

  /** The account of a valid code. Throws if the user or the role is disabled. */
  async function findOwner(code: PasswordLinkCode | undefined): Promise<Account> {
    const found = code && (await findCode(store, code));
    const owner = found && (await findAccountOf(store, found.userId));
    if (owner === undefined || !owner.userEnabled || !owner.roleEnabled)
      throw new AppError('password_link_wrong');
    return owner.account;
  }

  async function reset(call: Call<typeof resetPasswordEndpoint>): Promise<{ data: null }> {
    const code = links.read(call.body.code);
    const account = await findOwner(code);
    const found = await findUser(store, account.userId);
    if (code === undefined || found === undefined) throw new AppError('password_link_wrong');
    rules.check(call.body.newPassword, found.user);
    const made = callOf(account, call);
    hashes.admit(made.caller);
    const passwordHash = await hashes.hash(made.caller, call.body.newPassword);
    const revision = access.takeAway(made, async (transaction) => {
      const { enabled } = await lockUser(transaction, account.userId);
      if (!(await spendCode(transaction, code.id, code.hash)) || !enabled)
        throw new AppError('password_link_wrong');
      const raised = await raiseEpoch(transaction, account.userId, {
        password_hash: passwordHash,
        password_due: false,
      });
      const entry = { before: null, after: { passwordChangeRequired: false } };
      const target = `user ${account.userId}`;
      await recordChange(transaction, made, { action: 'user.password_link_used', target, ...entry });
      return raised;
    });
    await answerWrite(call, revision);
    // Wrong second-factor codes count under the same username: access to the mailbox must not reset that limit.
    if (!(await hasFactor(account.userId))) await forgiveGuesses(account.username);
    return { data: null };
  }

  return [
    route(forgotPasswordEndpoint, async ({ body, ip }) => {
      if (!links.isResetOffered) throw new AppError('mail_disabled');
      await checkCaptcha(body);
      const isAsked = await insertResetRequest(store, { address: body.mail, counted: count(body.mail, ip) });
      if (!isAsked) throw new AppError('rate_limited', { retryAfterSeconds });
      return { data: null };
    }),
    route(resetPasswordEndpoint, reset),
    route(createPasswordLinkEndpoint, async (call) => {
      const { change, read } = linking(links);
      await answerWrite(call, changes.change(call, change));
      return { data: read() };
    }),
  ];
}

/** The user change that creates a link. The password itself changes only when the link is used. */
function linking(links: PasswordLinks): { change: UserChange; read: () => PasswordLink } {
  let made: PasswordLink | undefined;
  return {
    change: {
      way: 'give',
      ofOthers: true,
      action: 'user.password_link',
      before: () => null,
      after: () => made && { mailed: made.mailed, expiresAt: made.expiresAt },
      isDone: ({ enabled }) => {
        if (!enabled) throw new AppError('conflict');
        return false;
      },
      async apply(transaction, user) {
        made = await links.create(transaction, user);
        return [];
      },
    },
    read() {
      if (made === undefined) throw new AppError('conflict');
      return made;
    },
  };
}

/** The daily limits of reset mails, the largest first: every request locks the counters in the same order (no deadlock). */
function createCounts({ countKey, caps }: Pick<PasswordRoutesOptions, 'countKey' | 'caps'>) {
  const keyOf = (text: string) =>
    createHmac('sha256', countKey).update(`mail ${text}`).digest().subarray(0, 16);
  return (address: string, ip: string) => [
    { key: keyOf('all'), most: caps.resetLinksPerDay },
    { key: keyOf(`network ${networkOf(ip)}`), most: caps.resetLinksPerNetworkPerDay },
    { key: keyOf(`address ${address.toLowerCase()}`), most: caps.resetLinksPerAddressPerDay },
  ];
}

/** A call in the name of the account, for the audit log. No token was checked: the code was just verified. */
function callOf(account: Account, { ip, requestId }: Pick<Call, 'ip' | 'requestId'>): AuditedCall {
  const { userId, username, roleId, roleKey, dataScope } = account;
  const caller: Caller = { userId, username, roleId, roleKey, dataScope, jti: '', expiresAt: 0 };
  return { caller, confirmedAt: 'unchecked', ip, requestId };
}
