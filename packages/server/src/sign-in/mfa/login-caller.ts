// A caller for changes made during a login, before a token exists.
import type { Account } from '@portcullis/contract';
import type { AuditedCall } from '../../logs/audit/record-change.ts';
import type { SessionProvider } from '../login/method.ts';

export interface LoginCaller {
  readonly account: Account;
  readonly ip: string;
  readonly requestId: string;
  /** The provider that verified the first step, if it was not this service. */
  readonly provider?: SessionProvider | undefined;
}

/** No identity check of the request pipeline has passed this caller: the login has just verified the proof. */
export function callOf({ account, ip, requestId }: LoginCaller): AuditedCall {
  const { userId, username, roleId, roleKey, dataScope } = account;
  const caller = { userId, username, roleId, roleKey, dataScope, jti: '', expiresAt: 0 };
  return { caller, confirmedAt: 'unchecked', ip, requestId };
}
