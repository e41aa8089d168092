// Threats T150 to T163, the chapter “Passkeys”.
import type { Section } from './threat.ts';

export const passkeys: Section = {
  title: 'Passkeys',
  page: 'passkeys',
  threats: [
    {
      id: 'T150',
      attack: 'A phishing site forwards the challenge, and sends us what its visitor signs.',
      defence:
        'The signed data names the origin and the domain. Both must match the settings; no request header changes that. Responses from inside a frame of another site are rejected.',
      heldBy: [
        'packages/server/test/sign-in/mfa/passkey/web-authn.test.ts',
        'packages/server/test/base/settings/lint-passkeys.test.ts',
        'npm run browser -- passkeys',
      ],
    },
    {
      id: 'T151',
      attack: 'An attacker uses a stolen authenticator without its owner’s PIN or fingerprint.',
      defence: 'The authenticator must have verified its user, at registration and at every login.',
      heldBy: ['packages/server/test/sign-in/mfa/passkey/web-authn.test.ts', 'npm run browser -- passkeys'],
      open: 'The service relies on the statement of the authenticator: it does not ask for attestation.',
    },
    {
      id: 'T152',
      attack:
        'A signed response is sent again, to the same login or to another one, or twenty times at once.',
      defence:
        'The challenge is derived from the handle of one login. A passkey ends the login: of any number of parallel requests, one succeeds.',
    },
    {
      id: 'T153',
      attack: 'An attacker uses a copy of the key, whose counter is behind.',
      defence:
        'A counter that does not grow is rejected and recorded in the audit log. One statement raises it. A counter that is always 0 counts as no counter.',
      open: 'Passkeys that are synchronized between devices have no counter.',
    },
    {
      id: 'T154',
      attack: 'A passkey was removed, its user was disabled, or the user’s role was disabled.',
      defence:
        'The passkey is looked up among the valid ones, and the user and the role are read again. The answer is that of any other refusal. A session that the passkey proved ends with it.',
    },
    {
      id: 'T155',
      attack: 'A response signed by the attacker’s passkey contains another person’s user handle.',
      defence:
        'The handle must be the one with which the passkey was created. The stored passkey alone decides whose it is.',
    },
    {
      id: 'T156',
      attack: 'An attacker gives another person’s password, and then their own passkey as the second step.',
      defence: 'After a password, only a passkey of the same user is accepted.',
    },
    {
      id: 'T157',
      attack: 'A passkey uses a breakable algorithm, or a certificate that names addresses to fetch.',
      defence: 'Only Ed25519, ES256 and RS256 are accepted. Attestation is ignored.',
      heldBy: ['packages/server/test/sign-in/mfa/passkey/web-authn.test.ts'],
    },
    {
      id: 'T158',
      attack: 'A registration response is sent again, by another person, or late.',
      defence:
        'The challenge is stored for one user and for five minutes, and is deleted when the passkey is created. Of any number of parallel requests, one creates it.',
    },
    {
      id: 'T159',
      attack: 'An attacker registers the id of another person’s passkey with their own key.',
      defence: 'An id belongs to one user until the passkey is removed.',
    },
    {
      id: 'T160',
      attack: 'An attacker at an unlocked screen, or with the password alone, adds a passkey to an account.',
      defence:
        'Adding a passkey needs the password again. During login it also needs one of these: the account never had a factor, a code of an administrator, or a factor that was proven in the same login. The check runs again when the passkey is stored.',
    },
    {
      id: 'T161',
      attack:
        'An attacker sends an unlimited number of wrong passkeys, to block logins or to find one that fits.',
      defence:
        'A passkey cannot be guessed, so wrong ones count for no account and no network. Each try costs a captcha, and slots and rate limits bound the rest.',
    },
    {
      id: 'T162',
      attack: 'An attacker uses passkeys although they are off.',
      defence:
        'Without `mfa.passkeyDomain` the method does not exist: there is no challenge, no endpoint that adds a passkey, and no role that requires one.',
    },
    {
      id: 'T163',
      attack: 'A user adds so many passkeys that their list is too long to read.',
      defence: 'A user can have twenty. A new registration replaces one that was not finished.',
    },
  ],
};
