// Threats T220 to T234, the chapter “Service accounts”.
import type { Section } from './threat.ts';

const assertions = 'packages/server/test/sign-in/service-accounts/assertion.test.ts';

export const machines: Section = {
  title: 'Service accounts',
  page: 'service-accounts',
  threats: [
    {
      id: 'T220',
      attack:
        'An assertion that was intercepted is sent again: unchanged, with a new captcha, or to another instance.',
      defence:
        'An assertion signs the id and the text of one captcha, and uses the captcha up. The id of an assertion is accepted once, on the first instance that receives it.',
    },
    {
      id: 'T221',
      attack:
        'An assertion was made for another service, which forwards it: its audience is another one, a list that contains ours, or a text with one character changed.',
      defence:
        'The audience is one text and must equal the one in the settings exactly. No request header changes it.',
      heldBy: [assertions],
    },
    {
      id: 'T222',
      attack:
        'An attacker signs with their own key in the name of another account, or uses another account’s key id with their own signature.',
      defence:
        'The stored key decides which account it belongs to. The assertion must name the same account, and must be signed by the key that it names.',
    },
    {
      id: 'T223',
      attack:
        'The key was revoked, was replaced, belongs to a deleted account, or was revoked and added again.',
      defence:
        'The key is looked up among the valid ones, and checked again when the session is stored. A revoked key cannot be added to any account again.',
    },
    {
      id: 'T224',
      attack:
        'The captcha is not the one that was signed, is missing, has a wrong text, was used, is the picture for people, or is the text for programs in a password login.',
      defence:
        'The text for programs and the answer to a picture are stored in different forms, and each is accepted by its own methods alone. Each is valid once, whether the answer was right or wrong.',
      heldBy: ['packages/server/test/sign-in/service-accounts/text-captcha.test.ts'],
    },
    {
      id: 'T225',
      attack: 'An assertion is old, starts in the future, never expires, or expires in a year.',
      defence:
        'An assertion is valid for at most sixty seconds, in whole numbers. Its start is at most five seconds in the future.',
      heldBy: [assertions],
    },
    {
      id: 'T226',
      attack:
        'An assertion has no signature, is signed with the public key as an HMAC secret, uses another algorithm, or contains its own key.',
      defence:
        'The stored key alone decides the algorithm. A header with members other than algorithm, type and key id is rejected.',
      heldBy: [assertions],
    },
    {
      id: 'T227',
      attack:
        'Another JWT of the same key is accepted as an assertion, or an assertion is accepted as a token.',
      defence:
        'An assertion has its own type, and claims that no other JWT has. No carrier accepts it as a token.',
    },
    {
      id: 'T228',
      attack: 'Many logins use one assertion id at once, on several instances.',
      defence: 'One database statement uses it up: of any number of logins, one succeeds.',
    },
    {
      id: 'T229',
      attack: 'The account of the key was disabled or deleted, or its role was disabled.',
      defence:
        'Every login reads the account and the role again. The response is that of any other refusal; the login record contains the reason.',
    },
    {
      id: 'T230',
      attack:
        'A service account receives a password, a password reset or a factor, also through an instance of the previous version.',
      defence:
        'The stored password is not a hash, and a constraint keeps it so. The database stores no session of a service account that anything but a key proved, and no factor.',
    },
    {
      id: 'T231',
      attack:
        'A key is added to a person, to an account with more rights, or to the caller; it belongs to another account, or is sent with its private part.',
      defence:
        'Only service accounts have keys. Adding one needs the same right to manage as a password reset, and no account can add one to itself. A key belongs to one account. A JWK with a private part is rejected before anything is stored.',
    },
    {
      id: 'T232',
      attack:
        'An attacker sends an unlimited number of wrong assertions, to block a program or the people of its network.',
      defence:
        'An assertion cannot be guessed, so wrong ones count for no account. Captchas for programs have their own limit per network, separate from those for people.',
    },
    {
      id: 'T233',
      attack: 'Keys are used although no audience is set.',
      defence:
        'The method does not exist: there is no captcha for it, no endpoint that adds a key, and no login.',
    },
    {
      id: 'T234',
      attack:
        'A token is used after its key was revoked, or a login with the key is in progress during the revocation.',
      defence:
        'Revoking a key ends its sessions on every instance before the call returns. A login in progress stores no session. A token is valid for minutes.',
      heldBy: ['npm run chaos -- keys'],
    },
  ],
};
