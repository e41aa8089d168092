// T290 to T297: providers that are changed, and invitations to link an account, at the wrong moment or by the wrong people.
import type { Section } from './threat.ts';

export const providers: Section = {
  title: 'Changes of providers and invitations',
  threats: [
    {
      id: 'T290',
      attack:
        'An administrator deletes a provider and is disabled meanwhile; the deletion is stored after the call that disabled the administrator returned',
      defence:
        'Each transaction of the deletion checks the caller as its last step. Only the end of the sessions, which follows from the disabled provider, runs with the rights of the service',
    },
    {
      id: 'T291',
      attack:
        'An invitation to link an account that is accepted after the account was disabled, after its password was reset, or after an administrator took it back',
      defence:
        'The database deletes the invitations of an account that is disabled or deleted, or whose password changes. The acceptance locks the account and refuses where it is not enabled. An administrator can withdraw an invitation',
    },
    {
      id: 'T292',
      attack:
        'An invitation that is accepted while the account is deleted: the deleted account keeps a live link, and the identity is never admitted again',
      defence:
        'The acceptance locks the account first. The deletion and every new credential take the same lock, and the database refuses credentials of a deleted account',
    },
    {
      id: 'T293',
      attack:
        'Requests that cross: a provider is deleted while its invitation is accepted; one person signs in for the first time twice at once',
      defence:
        'Everything takes the locks in one order: the user, the user’s factors, the provider, the invitation. A change that a deadlock undid is tried once more. The second first login looks up the link that the first one made',
      heldBy: ['packages/server/test/cluster/access-writer.test.ts'],
    },
    {
      id: 'T294',
      attack:
        'An administrator leads a provider to another server and has it checked, so that the stored secret is sent there (LDAP pass-back); or changes a provider between its check and its enabling',
      defence:
        'Another host, port, authority, issuer, token URL or user-info URL needs the secret in the same call, and disables the provider until its check has passed. What passed the check is what is enabled',
    },
    {
      id: 'T295',
      attack:
        'Settings that make others of the people who are linked: another client, or another tenant in which the same subject is another person; or that make administrators of new people',
      defence:
        'Issuer, addresses, client, tenant and what locates the tenant stay while there are links. No provider creates people with the role `admin`',
      heldBy: ['packages/server/test/sign-in/providers/oauth/oauth-kind.test.ts'],
    },
    {
      id: 'T296',
      attack:
        'A provider or an administrator names what cannot be stored: NUL or half of a surrogate pair in a group, a session id or settings; a role or a department that does not exist',
      defence:
        'Such a group is left out, because no mapping can name it. Such a session id and such settings are rejected. An unknown role or department is answered with 404',
    },
    {
      id: 'T297',
      attack:
        'A flood of made-up logout tokens while the keys of the provider load slowly: it takes the slots, and genuine tokens are refused',
      defence:
        'A token is verified with the keys that were read last and takes a slot only where keys have to be read. Tokens that a known key signed have slots of their own',
      heldBy: ['packages/server/test/sign-in/providers/oidc/logout-token.test.ts'],
    },
  ],
};
