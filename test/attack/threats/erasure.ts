// T260 to T268: what somebody does with erasure: to hide a change behind it, to have somebody erased, or to find who was.
import type { Section } from './threat.ts';

const erasure = 'packages/server/test/people/erasure/erasure.test.ts';

export const erasing: Section = {
  title: 'People who are forgotten',
  threats: [
    {
      id: 'T260',
      attack: 'A record is made unreadable in the database, to be taken for an erased one',
      defence:
        'An erased record has a seal under a key of the master key, over its place, its hash and all that is left of it. Without it, or with one of another record, it was changed',
      heldBy: [erasure, 'test/tamper/pose-tamperings.ts'],
    },
    {
      id: 'T261',
      attack: 'What is left of an erased record is changed, or something is put into it',
      defence: 'The seal binds every column that is left, and the fixed values of those that are not',
      heldBy: [erasure, 'test/tamper/pose-tamperings.ts'],
    },
    {
      id: 'T262',
      attack: 'A record is changed first, and then the person is erased, so that the service vouches for it',
      defence:
        'A record is verified before it is sealed. One that is not as it was written is erased without a seal: the receipt counts it, and `log verify` names it as before',
      heldBy: [erasure, 'test/tamper/pose-tamperings.ts'],
    },
    {
      id: 'T263',
      attack: 'A row in the database that asks the service to erase somebody',
      defence:
        'An erasure goes on only where the service itself signed it, for this account, after it asked whether the caller may',
      heldBy: [erasure],
    },
    {
      id: 'T264',
      attack:
        'Somebody is erased by who does not reach them; an administrator erases all others, or themselves',
      defence:
        'The same reach as for a deletion: the data scope, every call and every row. Nobody erases themselves, and the last administrator stays',
      heldBy: [erasure, 'test/conformance/every-endpoint.test.ts'],
    },
    {
      id: 'T265',
      attack: 'What the service may overwrite is used to empty the logs by who has its role in the database',
      defence:
        'Functions that overwrite what names a person, of an account whose erasure is open, and nothing else; time, outcome and place stay, and without the master key it shows',
      heldBy: [erasure],
      open: 'Who has the master key too can seal what they like; heads that were kept elsewhere show only what they do not cover.',
    },
    {
      id: 'T266',
      attack:
        'A forged list of receipts has people erased after a restore, or somebody who got the number of an erased one',
      defence:
        'A receipt is signed, and names the account by its number and by a keyed reference to when it was made; what does not fit is left alone',
      heldBy: ['test/erasure/main.ts'],
    },
    {
      id: 'T267',
      attack:
        'Names, addresses or agents that are left somewhere: in an index, a spool, a dead letter, a record of somebody else',
      defence:
        'Every column of the database is on a list of what names people, and a test misses new ones; dumps, exports and the files of Postgres are searched byte for byte',
      heldBy: [
        erasure,
        'packages/server/test/people/erasure/personal-columns.test.ts',
        'packages/server/test/logs/login-log/spool/spool.test.ts',
        'test/erasure/main.ts',
      ],
      open: 'Write-ahead log, backups and pages that were not rewritten yet are outside: the how-to says what to do.',
    },
    {
      id: 'T268',
      attack: 'Who reads the database guesses what an erased record said, and compares the hash',
      defence:
        'Hashes of the login log have a key. In the audit log the id of the request is erased too, so that it would have to be guessed as well',
      heldBy: [erasure],
      open: 'Ids of requests count up from a random number that the records of one instance share: who guesses all of a record of the audit log can compare.',
    },
  ],
};
