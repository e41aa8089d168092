// What a directory vouches for: who is meant, whether the password was asked for, which groups give a role, and who is out
// when it is asked again.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src/providers';
const test = 'packages/server/test/providers';
const realTest = `${test}/ldap/directory.test.ts`;
const lyingTest = `${test}/ldap/lying-directory.test.ts`;
const stateTest = `${test}/ldap/account-state.test.ts`;
const mapTest = `${test}/groups/map-groups.test.ts`;
const logins = 'test/attack/directories/directories-login.test.ts';
const groups = 'test/attack/directories/directories-groups.test.ts';

export const ldapFaults: readonly Fault[] = [
  {
    name: 'a directory is asked with an empty password, and says yes to nobody',
    file: `${src}/ldap/directory.ts`,
    before: "if (password === '') return undefined;",
    after: '',
    seenBy: [realTest],
  },
  {
    name: 'of two people of a directory with one name, the first one is taken',
    file: `${src}/ldap/directory.ts`,
    before: 'entry && other === undefined ? readPerson(entry) : undefined',
    after: 'entry ? readPerson(entry) : undefined',
    seenBy: [realTest],
  },
  {
    name: 'whoever a directory sends is taken for who was asked for',
    file: `${src}/ldap/directory.ts`,
    before: '|| !isSought(person, entry, sought)',
    after: '',
    seenBy: [lyingTest],
  },
  {
    name: 'the groups of groups give nothing',
    file: `${src}/ldap/directory.ts`,
    before: 'parents.push(...searchEntries.flatMap(memberOf));',
    after: '',
    seenBy: [realTest],
  },
  {
    name: 'an account that Active Directory disabled is let in',
    file: `${src}/ldap/account-state.ts`,
    before: '|| (control & disabledBit) !== 0n',
    after: '',
    seenBy: [stateTest],
  },
  {
    name: 'an account that has expired in a directory is let in',
    file: `${src}/ldap/account-state.ts`,
    before: 'expires >= 0n && Number(expires) * dayMilliseconds <= now',
    after: 'false',
    seenBy: [stateTest],
  },
  {
    name: 'what was put behind the answer to StartTLS is read as if it came through TLS',
    file: `${src}/ldap/start-tls.ts`,
    before:
      "if (read.length > Math.min(length, longestAnswer)) end(new DirectoryAway('unreadable'));\n      else if (read.length === length) end();",
    after: 'if (read.length >= length) end();',
    seenBy: [lyingTest],
  },
  {
    name: 'a directory is asked whoever vouches for it',
    file: `${src}/ldap/wire.ts`,
    before: 'rejectUnauthorized: true',
    after: 'rejectUnauthorized: false',
    seenBy: [realTest],
  },
  {
    name: 'the right password opens a disabled account of a directory',
    file: `${src}/ldap/ldap-login.ts`,
    before: "if (person?.state !== 'active') {",
    after: 'if (person === undefined) {',
    seenBy: [logins],
  },
  {
    name: 'a login that a directory verified before it was asked again is finished after it',
    file: `${src}/ldap/recheck.ts`,
    before: 'await store.transaction().execute((transaction) => refuseLoginsUnderWay(transaction, id));',
    after: '',
    seenBy: [logins],
  },
  {
    name: 'who is gone from a directory keeps the session when it is asked again',
    file: `${src}/ldap/recheck.ts`,
    before: "['gone', 'disabled', 'unmapped'].includes(verdict)",
    after: "['disabled', 'unmapped'].includes(verdict)",
    seenBy: [logins],
  },
  {
    name: 'who is in no group that gives a role keeps the session when a directory is asked again',
    file: `${src}/ldap/recheck.ts`,
    before: "['gone', 'disabled', 'unmapped'].includes(verdict)",
    after: "['gone', 'disabled'].includes(verdict)",
    seenBy: [groups],
  },
  {
    name: 'a mapping of everybody gives admin',
    file: `${src}/groups/map-groups.ts`,
    before: 'group === undefined || (group === everybody && mapping.roleId === adminRoleId)',
    after: 'group === undefined',
    seenBy: [mapTest],
  },
  {
    name: 'the last mapping that matches counts, and not the first',
    file: `${src}/groups/map-groups.ts`,
    before: 'return spelled.find(',
    after: 'return spelled.findLast(',
    seenBy: [mapTest],
  },
];
