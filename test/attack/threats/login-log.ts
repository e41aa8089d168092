// Threats T88 to T96, the chapter “The login log”.
import type { Section } from './threat.ts';

export const loginLog: Section = {
  title: 'The login log',
  page: 'login-log',
  threats: [
    {
      id: 'T88',
      attack:
        'Names and user agents with line breaks, escape sequences or spreadsheet formulas forge log records.',
      defence:
        'A login record is a row, and a line of the process log is JSON. Control characters are escaped. For a name without an account, only its length and a keyed hash are stored. No exported cell starts like a formula; this includes a part of a cell after a semicolon, a tab or a line break.',
      heldBy: [
        'packages/server/test/logs/login-log/login-record.test.ts',
        'packages/server/test/base/values/csv.test.ts',
        'test/conformance/fail2ban.test.ts',
      ],
    },
    {
      id: 'T89',
      attack: 'Postgres rejects one record, and all others wait behind it.',
      defence:
        'Every record is built so that Postgres can store it: no NUL, no lone surrogate, limited length. If Postgres rejects a record nevertheless, the service halves the batch until it finds the record, and keeps it outside the table.',
      heldBy: [
        'packages/server/test/logs/login-log/insert-batch.test.ts',
        'packages/server/test/logs/login-log/login-log.test.ts',
        'packages/server/test/logs/login-log/login-record.test.ts',
      ],
    },
    {
      id: 'T90',
      attack: 'A crash, a full queue or a restart loses records.',
      defence:
        'An attempt is on the disk of the host, or else in the database, before it is answered. A successful login that neither can store is refused. The next process stores the records that a process left behind.',
      heldBy: [
        'packages/server/test/logs/login-log/login-log.test.ts',
        'packages/server/test/logs/login-log/spool/spool.test.ts',
        'test/conformance/login-log.test.ts',
        'npm run chaos -- log',
        'npm run chaos -- log-faults',
        'npm run chaos -- log-power',
        'npm run chaos -- log-eio',
      ],
      open: 'If a host is lost with its disk, the records that had not reached the database are lost: the lag that `/metrics` shows.',
    },
    {
      id: 'T91',
      attack: 'A failed login is recorded without the name.',
      defence:
        'Every record of a request with a name contains the name, or the length and hash that replace the name of an unknown account. It contains the user and the role if they exist.',
      heldBy: ['test/conformance/login-log.test.ts', 'packages/server/test/sign-in/login/log-entry.test.ts'],
    },
    {
      id: 'T92',
      attack: 'The log contains a wrong address.',
      defence:
        'The log contains the address that the rate limits count: the address of the socket, or the one that a listed proxy states. Addresses that a client claims are not stored.',
      heldBy: ['packages/server/test/http/client-address.test.ts'],
    },
    {
      id: 'T93',
      attack: 'A user with rights in the database changes or deletes records.',
      defence:
        'The service’s database role can insert and read, but not change or delete. Hash chains bind the records, with a key that is not in the database. `verify` names the first record that does not fit.',
      heldBy: [
        'test/attack/login-log-roles.test.ts',
        'packages/server/test/logs/login-log/chain.test.ts',
        'test/tamper/main.ts',
      ],
    },
    {
      id: 'T94',
      attack: 'A user types a password into the name field.',
      defence:
        'The log stores a name only if an account was found. Otherwise the log and the spool contain its length and a hash under a key derived from the master key.',
      heldBy: [
        'packages/server/test/logs/login-log/login-record.test.ts',
        'test/conformance/canaries.test.ts',
      ],
    },
    {
      id: 'T95',
      attack: 'Records are written although the log is off.',
      defence:
        'While `logger.enableddb` is off, login has no log and no spool folder. Records that were acknowledged while it was on wait until it is on again.',
      heldBy: ['test/conformance/login-log.test.ts'],
    },
    {
      id: 'T96',
      attack: 'A retry stores a record twice.',
      defence:
        'The primary key is a UUIDv7. A second insert of the same record stores nothing and counts nothing.',
      heldBy: [
        'packages/server/test/logs/login-log/login-log-store.test.ts',
        'packages/server/test/logs/login-log/login-log.test.ts',
        'npm run chaos -- log',
      ],
    },
  ],
};
