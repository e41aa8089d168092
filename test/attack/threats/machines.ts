// T220 to T234: what somebody does who wants to log in as a program, and what Portcullis does about it.
import type { Section } from './threat.ts';

const assertions = 'packages/server/test/sign-in/service-accounts/assertion.test.ts';

export const machines: Section = {
  title: 'Machines',
  threats: [
    {
      id: 'T220',
      attack:
        'An assertion that was seen on the way is sent again: as it was, with a new captcha, to another instance',
      defence:
        'It signs the id and the text of one captcha, which is spent with it, and its own id is good once, on whichever instance it comes first',
    },
    {
      id: 'T221',
      attack:
        'An assertion that was made for another service, which relays it: another audience, a list with ours in it, one that differs in a letter',
      defence:
        'The audience is one text, the one of the settings, letter by letter. No header of a request says otherwise',
      heldBy: [assertions],
    },
    {
      id: 'T222',
      attack: 'The own key in the name of another account, or its key id with the own signature',
      defence:
        'The key says whose it is; the assertion must name the same account, and be signed by the key that it names',
    },
    {
      id: 'T223',
      attack:
        'A key that ended, one that was replaced, one of a deleted account, or an ended one that is added again',
      defence:
        'It is looked up among those that count, and asked about again where the session is stored. A key that ended is added to no account any more',
    },
    {
      id: 'T224',
      attack:
        'Another captcha than the one that was signed, none, a wrong text, one that was used, the picture of people, or the text of programs for a password',
      defence:
        'The text of programs and the answer of a picture are kept in different forms, and each is taken by its own methods alone; both are good once, right or wrong',
      heldBy: ['packages/server/test/sign-in/service-accounts/text-captcha.test.ts'],
    },
    {
      id: 'T225',
      attack: 'An assertion of long ago, of later, without an end, or with one in a year',
      defence:
        'It lives for sixty seconds at most, by whole numbers, and begins no more than five seconds from now',
      heldBy: [assertions],
    },
    {
      id: 'T226',
      attack:
        'An assertion without a signature, one that is signed with the public key as a secret, with another algorithm, or that brings its own key',
      defence:
        'The stored key alone decides about the algorithm; a header with anything beside algorithm, type and key id is refused',
      heldBy: [assertions],
    },
    {
      id: 'T227',
      attack: 'Another JWT that the same key signed taken for an assertion; an assertion taken for a token',
      defence: 'It has a type of its own and claims that no other JWT has; no carrier takes it',
    },
    {
      id: 'T228',
      attack: 'One assertion id for many logins at once, over several instances',
      defence: 'One statement of the database takes it: of any number, one is let in',
    },
    {
      id: 'T229',
      attack: 'The key of an account that was disabled or deleted, or whose role was disabled',
      defence:
        'Account and role are read again at every login, and the answer is that of any other refusal; the record says why',
    },
    {
      id: 'T230',
      attack:
        'A password, a reset or a factor for a service account, also through an instance of the version before',
      defence:
        'Its password is no hash, and a constraint keeps it so. The database stores no session of it that anything but a key proved, and no factor',
    },
    {
      id: 'T231',
      attack:
        'A key added to a person, to a mightier account, to oneself; one that somebody else has, or with its private part',
      defence:
        'Only service accounts have keys. Adding one takes the reach of a password reset, and nobody adds one to itself. A key is one account’s, and a JWK with a private part is refused before anything is kept',
    },
    {
      id: 'T232',
      attack: 'Wrong assertions without end, so that a program or the people of its network are kept out',
      defence:
        'Nothing of it can be guessed, so it counts for no account; captchas of programs have a budget of their own for each network, apart from those of people',
    },
    {
      id: 'T233',
      attack: 'Keys where no audience is set',
      defence: 'The method does not exist: no captcha for it, no key to add, no login',
    },
    {
      id: 'T234',
      attack: 'A token that is used on after its key ended, and a login that is on its way meanwhile',
      defence:
        'Ending a key ends the sessions that it proved on every instance before the call returns; a login that is on its way stores no session. A token lives for minutes',
      heldBy: ['npm run chaos -- keys'],
    },
  ],
};
