// Threats T63 to T80, the chapter “Login: captcha, user enumeration, brute force”.
import type { Section } from './threat.ts';

export const login: Section = {
  title: 'Login: captcha, user enumeration, brute force',
  page: 'login',
  threats: [
    {
      id: 'T63',
      attack: 'A captcha is used twice.',
      defence: 'The first use deletes it, whether the answer was right or wrong.',
      heldBy: [
        'test/conformance/captcha.test.ts',
        'packages/server/test/sign-in/login/captcha/captcha.test.ts',
      ],
    },
    {
      id: 'T64',
      attack: 'Many logins use one captcha at the same time.',
      defence: 'One `DELETE ... RETURNING` gives it to exactly one of them.',
      heldBy: ['packages/server/test/sign-in/login/captcha/captcha.test.ts'],
    },
    {
      id: 'T65',
      attack: 'An attacker guesses captchas, or solves them by machine.',
      defence:
        'A captcha has five of 32 symbols, warped. It is valid for 120 s and for one try. The number of captchas per network is limited.',
      heldBy: [
        'test/attack/captcha-ocr.ts',
        'packages/captcha/test/draw-captcha.test.ts',
        'packages/server/test/sign-in/login/captcha/captcha.test.ts',
      ],
    },
    {
      id: 'T66',
      attack: 'A login sends an empty answer to a captcha that does not exist.',
      defence:
        'If no captcha is found, nothing is compared. Otherwise the HMACs of the answers are compared in constant time.',
      heldBy: [
        'packages/server/test/sign-in/login/captcha/captcha.test.ts',
        'test/conformance/captcha.test.ts',
      ],
    },
    {
      id: 'T67',
      attack: 'The key of another stored object is used as a captcha id.',
      defence:
        'Captchas have a separate table, so an id cannot name another kind of row. An id is 22 characters of base64url. There is no Redis, and no key space that several kinds of objects share.',
    },
    {
      id: 'T68',
      attack: 'The answer to a captcha appears in a log or a response.',
      defence: 'Only the HMAC of the answer is stored, and no log contains the answer.',
      heldBy: ['test/conformance/canaries.test.ts'],
    },
    {
      id: 'T69',
      attack: 'A mode that is almost `dev` skips the captcha.',
      defence: 'Only exactly `dev` is dev. Every other value behaves as prod.',
      heldBy: ['test/conformance/mode.test.ts'],
    },
    {
      id: 'T70',
      attack: 'Text, headers or response time show which users exist.',
      defence:
        'An unknown name, a wrong password and a disabled account get the same answer. An unknown name costs the same hash, and every kind of hash takes the same time.',
    },
    {
      id: 'T71',
      attack: 'The rate limit shows which users exist.',
      defence: 'Names without an account go through the same sequence of delays.',
    },
    {
      id: 'T72',
      attack: 'An attacker sends more guesses than allowed, in parallel.',
      defence: 'Postgres reserves a guess, for all instances together, before the password is verified.',
    },
    {
      id: 'T73',
      attack: 'An attacker gains more guesses with other spellings of one name.',
      defence: 'Guesses count for the canonical name: NFKC, trimmed, lower case.',
    },
    {
      id: 'T74',
      attack: 'An attacker gains more guesses with `X-Forwarded-For`.',
      defence:
        'The client address is the address of the socket, or the one that a listed proxy states. An unreadable address counts as the proxy’s. IPv6 addresses count by /64. No proxy is listed by default, and doctor tests a client in the same private network.',
      heldBy: ['packages/operator/test/doctor/settings-faults.test.ts'],
    },
    {
      id: 'T75',
      attack: 'An attacker locks out a user by failed logins with the user’s name.',
      defence:
        'Delays apply to one account and one network. Even after 100 failures in a row, the account can log in from networks where it has logged in before.',
    },
    {
      id: 'T76',
      attack: 'An attacker tries one password on a very large number of names.',
      defence: 'A network has a limit of failures per minute over all accounts.',
    },
    {
      id: 'T77',
      attack: 'A password is truncated, case-folded, or a megabyte long.',
      defence:
        'argon2id hashes the NFC form of 1 to 256 characters. An imported bcrypt hash verifies only a password that bcrypt reads completely.',
      heldBy: ['packages/server/test/sign-in/login/credentials/password-verifier.test.ts'],
    },
    {
      id: 'T78',
      attack: 'A weak old hash is kept for ever.',
      defence: 'The next login replaces it, only if the stored hash is still the old one.',
      heldBy: ['packages/server/test/sign-in/login/credentials/password-verifier.test.ts'],
    },
    {
      id: 'T79',
      attack: 'The password is verified before the captcha.',
      defence: 'One function contains the order of the specification.',
      heldBy: ['test/conformance/login-order.test.ts', 'packages/server/test/sign-in/login/log-in.test.ts'],
    },
    {
      id: 'T80',
      attack: 'A published default account exists.',
      defence:
        'The first administrator gets a random password that is shown once. A published password prevents the start.',
      heldBy: [
        'packages/server/test/people/users/first-start.test.ts',
        'test/conformance/start-refusals.test.ts',
      ],
    },
  ],
};
