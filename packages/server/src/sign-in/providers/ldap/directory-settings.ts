// The LDAP attributes of a person, in Active Directory and in other directories.
import type { LdapSettings } from '@portcullis/contract';

export type DirectorySettings = LdapSettings;
export type Dialect = LdapSettings['dialect'];

export interface Spelling {
  readonly username: string;
  readonly userObjectClass: string;
  readonly subject: string;
  readonly state: readonly string[];
}

export function spellingOf({ dialect, usernameAttribute, userObjectClass }: DirectorySettings): Spelling {
  return dialect === 'ad'
    ? {
        username: usernameAttribute ?? 'sAMAccountName',
        userObjectClass: userObjectClass ?? 'user',
        subject: 'objectGUID',
        state: ['userAccountControl', 'accountExpires'],
      }
    : {
        username: usernameAttribute ?? 'uid',
        userObjectClass: userObjectClass ?? 'person',
        subject: 'entryUUID',
        state: ['nsAccountLock', 'pwdAccountLockedTime', 'shadowExpire'],
      };
}
