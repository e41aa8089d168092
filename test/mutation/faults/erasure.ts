// Erasure: nothing is left that names the person, and nothing that somebody changed is vouched for by it.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src/erasure';
const logins = `${src}/erase-login-records.ts`;
const loginStore = `${src}/login-erasure-store.ts`;
const audit = `${src}/erase-audit-records.ts`;
const seenBy = ['packages/server/test/erasure/erasure.test.ts'] as const;

export const erasureFaults: readonly Fault[] = [
  {
    name: 'a record of the login log that was changed is sealed',
    file: logins,
    before: ' || !hashOf(key, previous, row).equals(hash)',
    after: '',
    seenBy,
  },
  {
    name: 'a letter that was changed by a byte is sealed',
    file: 'packages/server/src/login-log/dead-letter.ts',
    before: ' && raw.equals(spooledText(row))',
    after: '',
    seenBy,
  },
  {
    name: 'a record that poses as erased is sealed',
    file: logins,
    before: ' || row.seal !== null',
    after: '',
    seenBy,
  },
  {
    name: 'letters are left as they are',
    file: logins,
    before: 'yield await eraseLetters(store, wanted);',
    after: '',
    seenBy,
  },
  {
    name: 'records under the name alone are left',
    file: logins,
    before: ', ...wanted.names.map((name) => ({ name }))',
    after: '',
    seenBy,
  },
  {
    name: 'a record that was put between two keeps the seal from the second',
    file: loginStore,
    before: ' and seq < ',
    after: ' and seq <> ',
    seenBy,
  },
  {
    name: 'a record of the audit log that was changed is sealed',
    file: audit,
    before: 'return auditHashOf(previous, record).equals(hash);',
    after: 'return true;',
    seenBy,
  },
  {
    name: 'an erasure that somebody wrote into the database is acted on',
    file: `${src}/erasure-work.ts`,
    before: 'if (!isSignedMandate(keys, await findDeployment(store), erasure)) return;',
    after: '',
    seenBy,
  },
  {
    name: 'what stands in the log for a name is not looked up',
    file: `${src}/erasure-work.ts`,
    before: '[] : namesOf(username)',
    after: '[] : []',
    seenBy,
  },
  {
    name: 'the mandate of somebody is one of somebody else',
    file: `${src}/mandate.ts`,
    before: '[deployment, id, userId, reference',
    after: '[deployment, id, reference',
    seenBy,
  },
];
