// T88 to T96: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const loginLog: Section = {
  title: 'The login log',
  threats: [
    {
      id: 'T88',
      attack: 'Forged records: line breaks, escape sequences, formulas in names and agents',
      defence:
        'A record is a row; control characters are escaped, and what does not look like a name keeps only its length',
      heldBy: ['packages/server/test/login-log/login-record.test.ts'],
      open: 'There is no export yet, so nothing guards formulas in one; it comes with the login log’s console.',
    },
    {
      id: 'T89',
      attack: 'One record that Postgres refuses holds up all others',
      defence: 'Every record is made so that it can be stored: no NUL, no lone surrogate, bounded',
      heldBy: [
        'packages/server/test/login-log/login-log-store.test.ts',
        'packages/server/test/login-log/login-record.test.ts',
      ],
      open: 'A batch that fails all the same is tried again whole; parting it comes with the login log’s spool.',
    },
    {
      id: 'T90',
      attack: 'Records that are lost by a crash, a full queue or a restart',
      defence: 'Kept and tried again while the process lives, and stored before it ends',
      heldBy: ['packages/server/test/login-log/login-log.test.ts'],
      open: 'A killed process loses what it has not written: the spool before the answer comes with the login log.',
    },
    {
      id: 'T91',
      attack: 'Failed logins without the name',
      defence: 'The name is in every record of a request that had one',
      heldBy: ['test/conformance/login-log.test.ts', 'packages/server/test/login/attempt.test.ts'],
    },
    {
      id: 'T92',
      attack: 'A wrong address in the log',
      defence: 'The address that the limits count: the socket’s, or what a listed proxy says',
      heldBy: ['packages/server/test/http/client-address.test.ts', 'test/conformance/login-log.test.ts'],
      open: 'What the client claimed is not kept beside it; that column comes with the login log’s spool.',
    },
    {
      id: 'T93',
      attack: 'Records that somebody with rights changes or deletes',
      defence: 'The service itself only inserts',
      open: 'Rights of the database role and a chain of hashes come with the login log’s chain.',
    },
    {
      id: 'T94',
      attack: 'A password that was typed into the field of the name',
      defence: 'What does not look like a name is stored as `[hidden:length]`',
      heldBy: ['packages/server/test/login-log/login-record.test.ts', 'test/conformance/canaries.test.ts'],
    },
    {
      id: 'T95',
      attack: 'Records although the log is off',
      defence: 'With `logger.enableddb` off there is no log at all behind login',
      heldBy: ['test/conformance/login-log.test.ts'],
      open: 'There is no spool yet whose bytes could be counted, and no switch while the service runs.',
    },
    {
      id: 'T96',
      attack: 'Records that stand twice after a retry',
      defence: 'The id is a UUIDv7 and the primary key; storing a record again stores nothing',
      heldBy: ['packages/server/test/login-log/login-log-store.test.ts'],
      open: 'A thousand crashes between storing and noting it come with the login log’s spool.',
    },
  ],
};
