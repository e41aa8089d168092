// T88 to T96: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const loginLog: Section = {
  title: 'The login log',
  threats: [
    {
      id: 'T88',
      attack: 'Forged records: line breaks, escape sequences, formulas in names and agents',
      defence:
        'A record is a row, and a line of the process log is JSON; control characters are escaped, a name without an account keeps only its length and a keyed hash, and an exported cell does not begin like a formula, nor does a part of it after a semicolon, a tab or a line break',
      heldBy: [
        'packages/server/test/logs/login-log/login-record.test.ts',
        'packages/server/test/base/values/csv.test.ts',
        'test/conformance/fail2ban.test.ts',
      ],
    },
    {
      id: 'T89',
      attack: 'One record that Postgres refuses holds up all others',
      defence:
        'Every record is made so that it can be stored: no NUL, no lone surrogate, bounded. One that is refused all the same is found by halving its batch, and kept beside the table',
      heldBy: [
        'packages/server/test/logs/login-log/insert-batch.test.ts',
        'packages/server/test/logs/login-log/login-log.test.ts',
        'packages/server/test/logs/login-log/login-record.test.ts',
      ],
    },
    {
      id: 'T90',
      attack: 'Records that are lost by a crash, a full queue or a restart',
      defence:
        'An attempt is on the disk of the host before it is answered, else in the database; a success that can be kept in neither is refused. What a process leaves behind is stored by the next one',
      heldBy: [
        'packages/server/test/logs/login-log/login-log.test.ts',
        'packages/server/test/logs/login-log/spool/spool.test.ts',
        'test/conformance/login-log.test.ts',
        'npm run chaos -- log',
        'npm run chaos -- log-faults',
        'npm run chaos -- log-power',
        'npm run chaos -- log-eio',
      ],
      open: 'Where a host is lost with its disk, what it had not brought to the database yet is lost with it: the lag that `/metrics` shows.',
    },
    {
      id: 'T91',
      attack: 'Failed logins without the name',
      defence:
        'The name, or what stands for one without an account, is in every record of a request that had one, with the user and the role where there are any',
      heldBy: ['test/conformance/login-log.test.ts', 'packages/server/test/sign-in/login/log-entry.test.ts'],
    },
    {
      id: 'T92',
      attack: 'A wrong address in the log',
      defence:
        'The address that the limits count: the socket’s, or what a listed proxy says. What a client claims is not kept at all',
      heldBy: ['packages/server/test/http/client-address.test.ts'],
    },
    {
      id: 'T93',
      attack: 'Records that somebody with rights changes or deletes',
      defence:
        'The service’s role may insert and read, not change or delete. Records are bound into chains by a key that the database does not hold; `verify` names the first that does not fit',
      heldBy: [
        'test/attack/login-log-roles.test.ts',
        'packages/server/test/logs/login-log/chain.test.ts',
        'test/tamper/main.ts',
      ],
    },
    {
      id: 'T94',
      attack: 'A password that was typed into the field of the name',
      defence:
        'A name is stored where an account was found, else its length and a hash under a key of the master key, in the spool too',
      heldBy: [
        'packages/server/test/logs/login-log/login-record.test.ts',
        'test/conformance/canaries.test.ts',
      ],
    },
    {
      id: 'T95',
      attack: 'Records although the log is off',
      defence:
        'With `logger.enableddb` off there is no log at all behind login, nor a folder. What was acknowledged while it was on waits until it is on again',
      heldBy: ['test/conformance/login-log.test.ts'],
    },
    {
      id: 'T96',
      attack: 'Records that stand twice after a retry',
      defence:
        'The id is a UUIDv7 and the primary key; storing a record again stores nothing and counts nothing',
      heldBy: [
        'packages/server/test/logs/login-log/login-log-store.test.ts',
        'packages/server/test/logs/login-log/login-log.test.ts',
        'npm run chaos -- log',
      ],
    },
  ],
};
