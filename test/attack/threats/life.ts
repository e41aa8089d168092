// Threats T27 to T33, the chapter “Revoked and expired tokens”.
import type { Section } from './threat.ts';

export const life: Section = {
  title: 'Revoked and expired tokens',
  page: 'revoked-tokens',
  threats: [
    {
      id: 'T27',
      attack: 'A token is used after its logout.',
      defence:
        'Postgres stores the revoked `jti`. By the time the call returns, no instance accepts the token.',
      heldBy: ['npm run chaos -- logout'],
    },
    {
      id: 'T28',
      attack: 'A token is used after its user was disabled or deleted, or received another password or role.',
      defence:
        'The user’s epoch grows, and the token carries the earlier epoch. The change is in force everywhere when the call returns.',
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
      attack: 'A token is issued in the same second in which the sessions are revoked.',
      defence: 'The epoch is a counter, not a time.',
      heldBy: ['packages/server/test/sign-in/sessions/revocations.test.ts', 'npm run chaos -- password'],
    },
    {
      id: 'T30',
      attack: 'A flushed cache or a lost primary makes revoked tokens valid again.',
      defence:
        'There is no such cache and no Redis: Postgres stores the revocations. If a database has lost recent commits, a member or a host’s disk that knows more locks it. The database then grants no lease until `portcullis recover` has revoked every token. If the wait for a synchronous standby was cancelled, the commit is answered with 503, not with success.',
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
      attack: 'An endpoint exchanges a token for a new one.',
      defence: 'Only login has the signer. No other response contains a text that verifies as a token.',
      heldBy: ['test/conformance/removed-endpoint.test.ts', 'test/rig/use-service.ts'],
    },
    {
      id: 'T32',
      attack: 'Two logins receive the same token, or a cache keeps the login response.',
      defence: '`jti` has 128 random bits; the response has `no-store`.',
      heldBy: ['packages/server/test/sign-in/sessions/sign-token.test.ts'],
    },
    {
      id: 'T33',
      attack: 'An instance with a wrong clock accepts expired tokens.',
      defence:
        'An instance receives no lease while its clock differs from the database’s clock by more than 2 s, or after the clock jumped back. `iat` can be 5 s in the future; `exp` has no tolerance.',
      heldBy: ['npm run chaos -- clock'],
    },
  ],
};
