// Who is on the way in, as whoever makes a change.
import type { Account } from '@portcullis/contract';
import type { AuditedCall } from '../../logs/audit/record-change.ts';
import type { SessionProvider } from '../login/method.ts';

export interface LoginCaller {
  readonly account: Account;
  readonly ip: string;
  readonly requestId: string;
  /** By way of whom the first step was proven, where that was not this service. */
  readonly identity?: SessionProvider | undefined;
}

/** A caller whom no check let pass: the password was just verified, or a passkey. */
export function callOf({ account, ip, requestId }: LoginCaller): AuditedCall {
  const { userId, username, roleId, roleKey, dataScope } = account;
  const caller = { userId, username, roleId, roleKey, dataScope, jti: '', expiresAt: 0 };
  return { caller, confirmedAt: 'unchecked', ip, requestId };
}
