// Threats T200 to T213, the chapter “LDAP and Active Directory”.
import type { Section } from './threat.ts';

const client = 'packages/server/test/sign-in/providers/ldap/directory.test.ts';
const liar = 'packages/server/test/sign-in/providers/ldap/lying-directory.test.ts';

export const ldap: Section = {
  title: 'LDAP and Active Directory',
  page: 'ldap',
  threats: [
    {
      id: 'T200',
      attack:
        'The typed name, or the name of a group, contains an LDAP filter or a wildcard (LDAP injection).',
      defence:
        'Filters are built from values, never from text. The name of the entry found must equal the typed name: spellings that only the directory treats as equal are rejected.',
      heldBy: [client],
    },
    {
      id: 'T201',
      attack: 'A login has an empty password, which directories answer with success.',
      defence:
        'The service rejects an empty password before it asks the directory, for people and for the service’s own bind account.',
      heldBy: [client],
    },
    {
      id: 'T202',
      attack:
        'Two entries have the name, the account is disabled or expired in the directory, or the entry is an alias.',
      defence:
        'There must be exactly one entry, with exactly one name, and all that the directory says about its state must allow the login. A state that cannot be read is a refusal.',
      heldBy: [client, 'packages/server/test/sign-in/providers/ldap/account-state.test.ts'],
      open: 'An account that the directory locked for a while after wrong guesses keeps its sessions here; otherwise unauthenticated clients could end them.',
    },
    {
      id: 'T203',
      attack: 'A directory entry has the name or the mail address of a local account.',
      defence:
        'The password of a name with a local account is verified locally, unless a link says otherwise. Links use the provider and the subject alone.',
    },
    {
      id: 'T204',
      attack: 'The name or the distinguished name of a person who left is given to another person.',
      defence:
        'A link refers to the id that the directory gave to the entry (`entryUUID`, `objectGUID`). A linked person is searched by this id.',
      heldBy: [client],
    },
    {
      id: 'T205',
      attack:
        'An attacker is between the service and the directory: no TLS, a certificate for another name, or data injected after the StartTLS response.',
      defence:
        'Nothing is sent before TLS is established with a certificate for the right name; no setting turns this off. Data after the StartTLS response closes the connection.',
      heldBy: [client, liar],
    },
    {
      id: 'T206',
      attack: 'A directory refers the service to another directory, which receives the password.',
      defence: 'Referrals are never followed.',
      heldBy: [liar],
    },
    {
      id: 'T207',
      attack:
        'A directory hangs, answers one byte at a time or with megabytes, or sends data that breaks the parser.',
      defence:
        'The limits are 1.5 seconds to connect, 3 seconds in all, and a megabyte per login. Every message is checked before it is parsed. Each provider has its own slots. An unavailable directory does not count as a wrong guess. A password that was sent but not answered counts for the name alone.',
      heldBy: [liar],
    },
    {
      id: 'T208',
      attack: 'A person of the directory who was not admitted here logs in.',
      defence:
        'The provisioning setting of the provider decides: people who linked their account with both passwords, people with a code of an administrator, or everyone.',
    },
    {
      id: 'T209',
      attack: 'An attacker guesses passwords of the directory through this service.',
      defence: 'Wrong guesses count like wrong local passwords, for the name and for the network.',
      open: 'A person whom the directory created has two names to guess at: the name in the directory and the name here.',
    },
    {
      id: 'T210',
      attack: 'A person who left keeps a session, or completes a login that began before.',
      defence:
        'A recheck asks the directory again, every few minutes, for every person with a session. A call rechecks at once, and returns when no member accepts the sessions of people who left. A login that was verified before the recheck is not stored after it.',
      open: 'A session lives until the next recheck has finished. One is due every `recheckMinutes`, and background jobs look for it about once a minute. One that fails, because the directory is unavailable, the provider changes meanwhile or the process ends, is repeated after another `recheckMinutes`.',
    },
    {
      id: 'T211',
      attack: 'A group mapping grants more than intended: admin to everyone, a pattern, or another order.',
      defence:
        'Group names are compared as a whole, in one spelling. The first mapping that matches counts. A star never grants `admin`. Only a caller who can manage everyone can set mappings.',
      heldBy: ['packages/server/test/sign-in/providers/groups/map-groups.test.ts'],
    },
    {
      id: 'T212',
      attack:
        'The directory, the accounts or the mappings change between the preview of a plan and its application.',
      defence:
        'The application needs the digest of the preview. It computes the plan again under the lock and compares the digests. If they differ, it is refused, and the caller must preview again.',
      heldBy: ['packages/server/test/sign-in/providers/groups/random-directories.test.ts'],
    },
    {
      id: 'T213',
      attack: 'A person left the group that granted the role, and keeps access.',
      defence:
        'If the provider always decides the role, a login without a matching group is refused, and the next recheck ends the sessions. The last administrator remains one.',
    },
  ],
};
