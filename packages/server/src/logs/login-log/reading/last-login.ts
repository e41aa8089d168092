// Finds the last successful login of a user. It searches only the newest records of the user, and only briefly: for an account
// with a thousand failed attempts a day it finds none.
import type { Caller, LastLogin } from '@portcullis/contract';
import { readPage } from './page-store.ts';
import { narrowToScope, type ScopeSource } from './scope-store.ts';
import { searchOfUser } from './search.ts';

interface LastLoginOptions extends ScopeSource {
  readonly now: () => number;
  readonly monotonic: () => number;
}

export type FindLastLogin = (caller: Caller, userId: number) => Promise<LastLogin | null>;

export function createFindLastLogin(options: LastLoginOptions): FindLastLogin {
  const { store, now, monotonic } = options;
  return async (caller, userId) => {
    const ofUser = searchOfUser(userId, now());
    const isSuccess = { column: 'reason', values: ['ok'] } as const;
    const search = { ...ofUser, conditions: [...ofUser.conditions, isSuccess] };
    const seen = await narrowToScope(options, search, caller);
    const { items } = await readPage(store, seen, { after: undefined, limit: 1, monotonic });
    const [last] = items;
    return last === undefined ? null : { at: last.at, ip: last.ip, browser: last.browser, os: last.os };
  };
}
