// T27 to T33: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const life: Section = {
  title: 'Life and death of a token',
  threats: [
    {
      id: 'T27',
      attack: 'A token that is used after its logout',
      defence: 'Ended by `jti` in Postgres; the call returns when no instance takes it any more',
      heldBy: ['npm run chaos -- logout'],
    },
    {
      id: 'T28',
      attack: 'The token of a user who was disabled or deleted, or got another password or role',
      defence: 'The user’s epoch grows and the token carries an older one; in force when the call returns',
      heldBy: [
        'npm run chaos -- disable',
        'npm run chaos -- password',
        'npm run chaos -- role',
        'npm run chaos -- scope',
        'packages/server/test/people/users/routes.test.ts',
      ],
    },
    {
      id: 'T29',
      attack: 'Ended and issued within one second',
      defence: 'The epoch is a counter and not a time',
      heldBy: ['packages/server/test/sign-in/sessions/revocations.test.ts', 'npm run chaos -- password'],
    },
    {
      id: 'T30',
      attack: 'A cache that is flushed, or a primary that is lost, lets ended tokens live again',
      defence:
        'There is no such cache and no Redis: what ended is in Postgres, and a database that lost it again is latched by whoever knows more, a member or a host’s disk, and gives no lease until `portcullis recover` has ended every token. A commit whose wait for a synchronous standby was cancelled is answered 503 and not as done',
      heldBy: [
        'npm run chaos -- restart',
        'npm run chaos -- failover',
        'npm run chaos -- lost-history',
        'packages/server/test/cluster/follower.test.ts',
        'packages/server/test/cluster/lost-history.test.ts',
        'packages/server/test/cluster/store/unreplicated-commit.test.ts',
      ],
    },
    {
      id: 'T31',
      attack: 'An endpoint that trades a token for a new one',
      defence: 'Only login is given the signer; no other answer ever held something that verifies as a token',
      heldBy: ['test/conformance/removed-endpoint.test.ts', 'test/rig/use-service.ts'],
    },
    {
      id: 'T32',
      attack: 'Two logins with the same token, or an answer of login that a cache keeps',
      defence: '`jti` of 128 random bits; `no-store`',
      heldBy: ['packages/server/test/sign-in/sessions/sign-token.test.ts'],
    },
    {
      id: 'T33',
      attack: 'An instance with a wrong clock takes tokens that are over',
      defence:
        'No lease with a clock more than 2 s off the database’s, or one that jumped back; 5 s of lead for `iat`, none for `exp`',
      heldBy: ['npm run chaos -- clock'],
    },
  ],
};
