// Threats T260 to T268, the chapter “Erasure of personal data”.
import type { Section } from './threat.ts';

const erasure = 'packages/server/test/people/erasure/erasure.test.ts';

export const erasing: Section = {
  title: 'Erasure of personal data',
  page: 'erasure',
  threats: [
    {
      id: 'T260',
      attack:
        'A user with write access to the database makes a record unreadable, so that it passes as an erased one.',
      defence:
        'An erased record has an HMAC under a key derived from the master key. It covers the position of the record, its hash and all remaining columns. A record without it, or with the HMAC of another record, counts as changed.',
      heldBy: [erasure, 'test/tamper/pose-tamperings.ts'],
    },
    {
      id: 'T261',
      attack: 'The remaining columns of an erased record are changed, or data is added to it.',
      defence: 'The HMAC covers every remaining column, and the fixed values of the erased ones.',
      heldBy: [erasure, 'test/tamper/pose-tamperings.ts'],
    },
    {
      id: 'T262',
      attack:
        'A record is changed first, and then the person is erased, so that the service attests the changed record.',
      defence:
        'A record is verified before it is attested. A changed record is erased without an HMAC. The receipt counts it, and `log verify` reports it as before.',
      heldBy: [erasure, 'test/tamper/pose-tamperings.ts'],
    },
    {
      id: 'T263',
      attack: 'A row in the database orders the service to erase a person.',
      defence:
        'An erasure continues only if the service itself signed it for this account, after it checked the caller’s permission.',
      heldBy: [erasure],
    },
    {
      id: 'T264',
      attack:
        'A caller erases a person whom they cannot manage, or an administrator erases all others or themselves.',
      defence:
        'Erasure needs the same right to manage as deletion: the data scope, every call and every row. A caller cannot erase themselves, and the last administrator stays.',
      heldBy: [erasure, 'test/conformance/every-endpoint.test.ts'],
    },
    {
      id: 'T265',
      attack: 'A client with the service’s database role uses the erasure functions to empty the logs.',
      defence:
        'The functions overwrite only data that identifies a person, of an account with an erasure in progress. Time, outcome and position stay. Without the master key, the overwriting is detected.',
      heldBy: [erasure],
      open: 'An attacker who also has the master key can attest any data. Heads that were exported elsewhere show only changes of records that they cover.',
    },
    {
      id: 'T266',
      attack:
        'A forged list of receipts erases people after a restore, or erases a person who received the number of an erased one.',
      defence:
        'A receipt is signed. It names the account by its number and by a keyed reference to its time of creation. A receipt that does not match is ignored.',
      heldBy: ['test/erasure/main.ts'],
    },
    {
      id: 'T267',
      attack:
        'Names, addresses or user agents remain somewhere: in an index, a spool, a rejected record, or a record of another person.',
      defence:
        'A list contains every column that identifies people, and a test detects new columns. Dumps, exports and the files of Postgres are searched byte by byte.',
      heldBy: [
        erasure,
        'packages/server/test/people/erasure/personal-columns.test.ts',
        'packages/server/test/logs/login-log/spool/spool.test.ts',
        'test/erasure/main.ts',
      ],
      open: 'The write-ahead log, backups, and pages that were not yet rewritten still contain the data: the how-to says what to do.',
    },
    {
      id: 'T268',
      attack: 'A reader of the database guesses the content of an erased record, and compares the hash.',
      defence:
        'Hashes of the login log have a key. In the audit log the id of the request is erased too, so that it would have to be guessed as well.',
      heldBy: [erasure],
      open: 'Request ids count up from a random number that the records of one instance share. An attacker who guesses a complete audit record can compare its hash.',
    },
  ],
};
