// T150 to T163: what somebody does who wants to log in with a passkey of others, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const passkeys: Section = {
  title: 'Passkeys',
  threats: [
    {
      id: 'T150',
      attack: 'A false site relays the challenge and sends on what its visitor signs there',
      defence:
        'What is signed names the origin and the domain; both must be those of the settings, and no header of a request says otherwise. Inside a frame of another site nothing is accepted',
      heldBy: [
        'packages/server/test/sign-in/mfa/passkey/web-authn.test.ts',
        'packages/server/test/base/settings/lint-passkeys.test.ts',
        'npm run browser -- passkeys',
      ],
    },
    {
      id: 'T151',
      attack: 'A stolen authenticator, used without the PIN or finger of its owner',
      defence: 'The authenticator must have verified its user, when a passkey is made and at every login',
      heldBy: ['packages/server/test/sign-in/mfa/passkey/web-authn.test.ts', 'npm run browser -- passkeys'],
      open: 'Whether it did is what the authenticator says: no attestation is asked for.',
    },
    {
      id: 'T152',
      attack: 'What was signed is sent again, to the same login or to another one, or twenty times at once',
      defence:
        'The challenge is derived from the handle of one attempt; a login by passkey ends the attempt, and of any number at once one ends it',
    },
    {
      id: 'T153',
      attack: 'A copy of the key, whose counter stayed behind',
      defence:
        'A counter that does not grow is refused and recorded in the audit log; it is raised in one statement. One that is always 0 is none',
      open: 'Passkeys that are kept in sync over devices have no counter.',
    },
    {
      id: 'T154',
      attack: 'A passkey that was removed, whose user was disabled, or whose role was',
      defence:
        'It is looked up among those that count, and the user and the role are read again, with the answer of any other refusal. A session that it proved ends with it',
    },
    {
      id: 'T155',
      attack: 'Something signed by the own passkey, sent with the user handle of somebody else',
      defence:
        'The handle must be the one that the passkey was made with; whose it is, the passkey alone says',
    },
    {
      id: 'T156',
      attack: 'The own passkey as the second step after the password of somebody else',
      defence: 'After a password, a passkey of that user alone goes on',
    },
    {
      id: 'T157',
      attack:
        'A passkey with an algorithm that can be broken, or a certificate that names addresses to fetch',
      defence: 'Ed25519, ES256 and RS256 alone; no attestation is looked at',
      heldBy: ['packages/server/test/sign-in/mfa/passkey/web-authn.test.ts'],
    },
    {
      id: 'T158',
      attack: 'What makes a passkey is sent again, or by somebody else than who asked for it, or late',
      defence:
        'The challenge is stored for one user, for five minutes, and gone with the passkey that it made; of any number at once one makes it',
    },
    {
      id: 'T159',
      attack: 'The id of the passkey of somebody else, registered with a key of the attacker',
      defence: 'An id is one user’s, as long as the passkey has not ended',
    },
    {
      id: 'T160',
      attack:
        'A passkey that is added to an account by whoever finds a screen open, or knows the password alone',
      defence:
        'It takes the password once more, and on the way in that nothing was ever set up, or a code of an administrator, or a factor that was proven in the same login; asked again when it is stored',
    },
    {
      id: 'T161',
      attack: 'Wrong passkeys without end, until nobody can log in, or until one fits',
      defence:
        'Nothing of it can be guessed, so it counts for no account and no network: a captcha stands for one try, and slots and budgets bound the rest',
    },
    {
      id: 'T162',
      attack: 'Passkeys where they were turned off',
      defence:
        'Without `factor.domain` the method does not exist: no challenge, no way to add one, and no role that demands one',
    },
    {
      id: 'T163',
      attack: 'Passkeys without end, until the list of a user is too long to be read',
      defence: 'Twenty a user; what is being made replaces what was begun before',
    },
  ],
};
