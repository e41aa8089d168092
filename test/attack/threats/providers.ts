// Threats T290 to T297, the chapter “Provider changes and link invitations”.
import type { Section } from './threat.ts';

export const providers: Section = {
  title: 'Provider changes and link invitations',
  page: 'provider-changes',
  threats: [
    {
      id: 'T290',
      attack:
        'An administrator deletes a provider and is disabled meanwhile; the deletion is stored after the call that disabled the administrator returned.',
      defence:
        'Each transaction of the deletion checks the caller as its last step. Only the end of the sessions, which follows from the disabled provider, runs with the rights of the service.',
    },
    {
      id: 'T291',
      attack:
        'An invitation to link an account is accepted after the account was disabled, after its password was reset, or after an administrator withdrew it.',
      defence:
        'The database deletes the invitations of an account that is disabled or deleted, or whose password changes. The acceptance locks the account and refuses if it is not enabled. An administrator can withdraw an invitation.',
    },
    {
      id: 'T292',
      attack:
        'An invitation is accepted while the account is deleted: the deleted account keeps an active link, and the identity can never be admitted again.',
      defence:
        'The acceptance locks the account first. The deletion and every new credential take the same lock, and the database refuses credentials of a deleted account.',
    },
    {
      id: 'T293',
      attack:
        'Concurrent requests conflict: a provider is deleted while its invitation is accepted, or one person signs in for the first time twice at once.',
      defence:
        'All changes take the locks in one order: the user, the user’s factors, the provider, the invitation. A change that a deadlock rolled back is tried once more. The second first login finds the link that the first one made.',
      heldBy: ['packages/server/test/cluster/access-writer.test.ts'],
    },
    {
      id: 'T294',
      attack:
        'An administrator changes a provider’s address to another server and starts its check, so that the stored secret is sent there (LDAP pass-back). Or the provider is changed between its check and its enabling.',
      defence:
        'Another host, port, authority, issuer, token URL or user-info URL needs the secret in the same call, and disables the provider until its check has passed. Only the settings that passed the check can be enabled.',
    },
    {
      id: 'T295',
      attack:
        'New settings give linked accounts to other people: another client, or another tenant in which the same subject is another person. Or they make new people administrators.',
      defence:
        'Issuer, addresses, client, tenant and the field of the tenant stay while links exist. No provider creates people with the role `admin`.',
      heldBy: ['packages/server/test/sign-in/providers/oauth/oauth-kind.test.ts'],
    },
    {
      id: 'T296',
      attack:
        'A provider or an administrator sends values that Postgres cannot store, such as NUL or half of a surrogate pair in a group, a session id or settings; or a role or a department that does not exist.',
      defence:
        'Such a group is ignored, because no mapping can name it. Such a session id and such settings are rejected. An unknown role or department is answered with 404.',
    },
    {
      id: 'T297',
      attack:
        'Invented logout tokens arrive in large numbers while the provider’s keys load slowly. They use up the slots, and genuine tokens are refused.',
      defence:
        'A token is verified with the keys that were read last, and takes a slot only if keys must be read. Tokens that a known key signed have separate slots.',
      heldBy: ['packages/server/test/sign-in/providers/oidc/logout-token.test.ts'],
    },
  ],
};
