// T63 to T80: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const login: Section = {
  title: 'Login: captcha, enumeration, guessing',
  threats: [
    {
      id: 'T63',
      attack: 'A captcha that is used twice',
      defence: 'The first use deletes it, right or wrong',
      heldBy: [
        'test/conformance/captcha.test.ts',
        'packages/server/test/sign-in/login/captcha/captcha.test.ts',
      ],
    },
    {
      id: 'T64',
      attack: 'Many logins at once with one captcha',
      defence: 'One `DELETE ... RETURNING` gives it to exactly one of them',
      heldBy: ['packages/server/test/sign-in/login/captcha/captcha.test.ts'],
    },
    {
      id: 'T65',
      attack: 'Guessing captchas, or reading them by machine',
      defence: 'Five of 32 symbols, warped; 120 s, one try, and a bound on how many a network may fetch',
      heldBy: [
        'test/attack/captcha-ocr.ts',
        'packages/captcha/test/draw-captcha.test.ts',
        'packages/server/test/sign-in/login/captcha/captcha.test.ts',
      ],
    },
    {
      id: 'T66',
      attack: 'An empty answer to a captcha that does not exist',
      defence: 'Nothing is compared where nothing was found; then by HMAC and in constant time',
      heldBy: [
        'packages/server/test/sign-in/login/captcha/captcha.test.ts',
        'test/conformance/captcha.test.ts',
      ],
    },
    {
      id: 'T67',
      attack: 'The name of something else that is stored serves as a captcha’s id',
      defence:
        'Captchas have a table of their own, so no other kind of row can be named, and an id is 22 characters of base64url. There is no Redis and no space of keys that kinds share',
    },
    {
      id: 'T68',
      attack: 'A captcha’s answer in a log or an answer',
      defence: 'Only its HMAC is kept; nothing logs it',
      heldBy: ['test/conformance/canaries.test.ts'],
    },
    {
      id: 'T69',
      attack: 'A mode that is nearly `dev` skips the captcha',
      defence: 'Only exactly `dev` is dev; anything else behaves as prod',
      heldBy: ['test/conformance/mode.test.ts'],
    },
    {
      id: 'T70',
      attack: 'Finding out which users exist, by text, headers or time',
      defence:
        'One answer for unknown, wrong and disabled; an unknown name costs the same hash, and every kind of hash the same time',
    },
    {
      id: 'T71',
      attack: 'Finding out which users exist, by who is slowed down',
      defence: 'Names that nobody has go through the same sequence',
    },
    {
      id: 'T72',
      attack: 'More guesses than allowed, all at once',
      defence: 'A guess is reserved in Postgres before the password is looked at, over all instances',
    },
    {
      id: 'T73',
      attack: 'More guesses by other spellings of one name',
      defence: 'Counted by the canonical form: NFKC, trimmed, lower case',
    },
    {
      id: 'T74',
      attack: 'More guesses by `X-Forwarded-For`',
      defence:
        'The address is the socket’s, or what a listed proxy says; what cannot be read counts as the proxy; IPv6 by /64. No proxy is listed by default, and doctor tries a client in the same private network',
      heldBy: ['packages/operator/test/doctor/settings-faults.test.ts'],
    },
    {
      id: 'T75',
      attack: 'Shutting somebody out by failing in their name',
      defence:
        'Delays are per account and network; even after 100 failures in a row, networks where the account has logged in stay open to it',
    },
    {
      id: 'T76',
      attack: 'One try on each of very many names',
      defence: 'A network has a budget of failures a minute over all accounts',
    },
    {
      id: 'T77',
      attack: 'Passwords that are cut, folded, or a megabyte long',
      defence:
        'argon2id over the NFC form of 1 to 256 characters; imported bcrypt hashes only for what bcrypt reads whole',
      heldBy: ['packages/server/test/sign-in/login/credentials/password-verifier.test.ts'],
    },
    {
      id: 'T78',
      attack: 'A weak old hash that is kept for ever',
      defence: 'Replaced at the next login, only where the old one still stands',
      heldBy: ['packages/server/test/sign-in/login/credentials/password-verifier.test.ts'],
    },
    {
      id: 'T79',
      attack: 'The password is looked at before the captcha',
      defence: 'The order of the specification, in one function',
      heldBy: ['test/conformance/login-order.test.ts', 'packages/server/test/sign-in/login/log-in.test.ts'],
    },
    {
      id: 'T80',
      attack: 'Accounts that everybody knows',
      defence:
        'The first administrator gets a random password that is shown once; a published one stops the start',
      heldBy: [
        'packages/server/test/people/users/first-start.test.ts',
        'test/conformance/start-refusals.test.ts',
      ],
    },
  ],
};
