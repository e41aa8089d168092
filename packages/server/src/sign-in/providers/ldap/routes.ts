// HTTP endpoints that only directories have: link the own account, and recheck.
import {
  type Account,
  AppError,
  addDirectoryLinkEndpoint,
  type Call,
  type Caller,
  type Route,
  recheckProviderEndpoint,
  route,
} from '@portcullis/contract';
import { revisionHeader } from '../../../cluster/answer-write.ts';
import type { LoginAttemptKey, Throttle } from '../../login/throttle/throttle.ts';
import type { LinkChanges } from '../link-changes.ts';
import type { LdapLogin } from './ldap-login.ts';
import type { Recheck } from './recheck.ts';

interface DirectoryRoutesOptions {
  readonly links: Pick<LinkChanges, 'addOwn'>;
  readonly directory: Pick<LdapLogin, 'authenticate'>;
  readonly recheck: Pick<Recheck, 'now'>;
  readonly attemptByCaller: Throttle['attemptByCaller'];
  /** The keys that a login attempt with this username from this address counts for (brute-force protection). */
  readonly attemptKeyOf: (call: Pick<Call, 'ip'>, username: string) => LoginAttemptKey;
  /** Undefined for a wrong password, which counts as a failed attempt of this person. */
  readonly verifyPassword: (
    caller: Pick<Caller, 'userId'>,
    username: string,
    password: string,
  ) => Promise<Account | undefined>;
}

export function directoryRoutes(options: DirectoryRoutesOptions): Route[] {
  const { links, directory, recheck, attemptByCaller, attemptKeyOf, verifyPassword } = options;
  return [
    route(addDirectoryLinkEndpoint, async (call) => {
      const { caller, body } = call;
      const account = await verifyPassword(caller, caller.username, body.oldPassword);
      if (account?.userId !== caller.userId) throw new AppError('credentials_wrong');
      const verify = () => directory.authenticate(body.provider, body.username, body.password);
      const identity = await attemptByCaller(caller.userId, attemptKeyOf(call, body.username), verify);
      if ('refused' in identity) throw new AppError('credentials_wrong');
      return { data: { id: await links.addOwn(call, identity) } };
    }),
    route(recheckProviderEndpoint, async (call) => {
      const { revision, rechecked } = await recheck.now(call, call.params.id);
      call.setHeader(revisionHeader, String(revision));
      return { data: rechecked };
    }),
  ];
}
