// How a directory spells what is read of a person.
import type { LdapSettings } from '@portcullis/contract';

export type DirectorySettings = LdapSettings;
export type Dialect = LdapSettings['dialect'];

export interface Spelling {
  readonly username: string;
  readonly personClass: string;
  readonly subject: string;
  readonly state: readonly string[];
}

export function spellingOf({ dialect, usernameAttribute, personClass }: DirectorySettings): Spelling {
  return dialect === 'ad'
    ? {
        username: usernameAttribute ?? 'sAMAccountName',
        personClass: personClass ?? 'user',
        subject: 'objectGUID',
        state: ['userAccountControl', 'accountExpires'],
      }
    : {
        username: usernameAttribute ?? 'uid',
        personClass: personClass ?? 'person',
        subject: 'entryUUID',
        state: ['nsAccountLock', 'pwdAccountLockedTime', 'shadowExpire'],
      };
}
