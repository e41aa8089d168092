// T200 to T213: what somebody does who wants in by the company's directory, and what Portcullis does about it.
import type { Section } from './threat.ts';

const client = 'packages/server/test/sign-in/providers/ldap/directory.test.ts';
const liar = 'packages/server/test/sign-in/providers/ldap/lying-directory.test.ts';

export const ldap: Section = {
  title: 'LDAP and Active Directory',
  threats: [
    {
      id: 'T200',
      attack: 'A filter or a wildcard in the name that is typed, or in the name of a group',
      defence:
        'Filters are made of values and never of text, and the name of the entry that is found must be the one that was typed: what a directory takes for the same is not',
      heldBy: [client],
    },
    {
      id: 'T201',
      attack: 'An empty password, which directories answer with success',
      defence: 'It is refused before the directory is asked, for people and for the reader',
      heldBy: [client],
    },
    {
      id: 'T202',
      attack: 'A name that two entries have, an account that is disabled or has expired there, an alias',
      defence:
        'Exactly one entry, with exactly one name, which the directory lets in by all that it says; what cannot be read is no yes',
      heldBy: [client, 'packages/server/test/sign-in/providers/ldap/account-state.test.ts'],
      open: 'An account that wrong guesses closed there for a while keeps its sessions here: else strangers could end them.',
    },
    {
      id: 'T203',
      attack: 'An entry in the directory with the name or the mail address of a local account',
      defence:
        'A name that has an account here is verified here unless a link says otherwise; links are made by provider and subject alone',
    },
    {
      id: 'T204',
      attack: 'The name or the distinguished name of somebody who left is given to somebody else',
      defence:
        'A link is to the id that the directory gave the entry (`entryUUID`, `objectGUID`), and whoever is linked is searched by it',
      heldBy: [client],
    },
    {
      id: 'T205',
      attack:
        'Somebody between the service and the directory: no TLS, a certificate of another name, words put behind the answer to StartTLS',
      defence:
        'Nothing is sent before TLS stands with a certificate of the right name; there is no setting that says otherwise. What comes behind the answer to StartTLS ends the connection',
      heldBy: [client, liar],
    },
    {
      id: 'T206',
      attack: 'A directory that refers to another one, which gets the password',
      defence: 'No referral is ever followed',
      heldBy: [liar],
    },
    {
      id: 'T207',
      attack: 'A directory that hangs, answers drop by drop or megabytes, or what breaks whoever reads it',
      defence:
        '1.5 seconds to connect and 3 in all, a megabyte for a login, every message looked through before it is read further; each provider has places of its own. Away is no wrong guess; a password that was sent and not answered counts for the name alone',
      heldBy: [liar],
    },
    {
      id: 'T208',
      attack: 'Somebody of the directory whom nobody let in here',
      defence:
        'By the provider’s admission: who linked the own account with both passwords, who has the code of an administrator, or everybody',
    },
    {
      id: 'T209',
      attack: 'Guessing passwords of the directory here',
      defence: 'Wrong ones count as those of a password here do, for the name and for the network',
      open: 'Somebody who was created has two names to guess by: the one in the directory and the one here.',
    },
    {
      id: 'T210',
      attack: 'Somebody who left keeps a session, or finishes a login that began before',
      defence:
        'Whoever has a session is looked for again every few minutes, and at once by a call that returns when no member takes the sessions; a login that was verified before is not stored after',
      open: 'A session lives until the next recheck has finished. One is due every `recheckMinutes`, and background jobs look for it about once a minute. One that fails, because the directory is away, the provider changes meanwhile or the process ends, is repeated after another `recheckMinutes`.',
    },
    {
      id: 'T211',
      attack:
        'A mapping of groups that gives more than was meant: admin to everybody, a pattern, another order',
      defence:
        'Groups are compared whole, in one spelling; the first mapping that matches counts; a star never gives `admin`. Only who reaches everybody sets them',
      heldBy: ['packages/server/test/sign-in/providers/groups/map-groups.test.ts'],
    },
    {
      id: 'T212',
      attack:
        'Between the look at a plan and its application somebody changes the directory, the accounts or the mappings',
      defence:
        'What is applied has the digest of what was shown, computed once more under the lock; else it is refused, and one looks again',
      heldBy: ['packages/server/test/sign-in/providers/groups/random-directories.test.ts'],
    },
    {
      id: 'T213',
      attack: 'Somebody left the group that gave the role, and stays in',
      defence:
        'Where the provider always says the role, no match is a refusal at login and the end of the sessions at the next look; the last administrator stays one',
    },
  ],
};
