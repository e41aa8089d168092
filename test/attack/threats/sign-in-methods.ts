// Threats T125 to T149, the chapter “Second factors and logins of several steps”.
import type { Section } from './threat.ts';

const story = 'test/conformance/second-factor.test.ts';

export const signInMethods: Section = {
  title: 'Second factors and logins of several steps',
  page: 'second-factor',
  threats: [
    {
      id: 'T125',
      attack: 'The handle of an unfinished login is presented as a token.',
      defence:
        'The handle is not a token in any carrier, for any endpoint. Only the body of a login accepts it.',
    },
    {
      id: 'T126',
      attack:
        'A handle is invented, belongs to another person, has expired, was used, or comes with another captcha.',
      defence:
        'A handle has 256 random bits, and is bound to the captcha with which the login began. It is valid for ten minutes and for one token. A client with another handle must begin again.',
    },
    {
      id: 'T127',
      attack: 'An attacker reads handles from the database, an address, a log or a backup.',
      defence:
        'The database contains a hash of the handle, and an HMAC of the captcha whose key is the handle. Only request and response bodies contain the handle; no log does.',
    },
    {
      id: 'T128',
      attack: 'An attacker tries many passwords or names with one captcha.',
      defence:
        'The start of a login uses up the captcha, and one password is verified for it. The login log contains what is refused.',
    },
    {
      id: 'T129',
      attack: 'A client sends a code, a recovery code or an enrolment without the password.',
      defence: 'These are steps of a login whose password was right, and nothing else accepts them.',
      heldBy: [story],
    },
    {
      id: 'T130',
      attack: 'A code comes from another person, from another app, or from an app that was replaced.',
      defence:
        'Only the confirmed app of the person who gave the password is checked. The secret of an app that was removed is deleted.',
    },
    {
      id: 'T131',
      attack:
        'A code is used again: for the same login, for another one, on another instance, or an older code after a newer one.',
      defence:
        'The last time step that was used is stored with the app. It can only grow, in one statement of the database.',
      heldBy: [story],
    },
    {
      id: 'T132',
      attack: 'A code is too old, or belongs to a later time.',
      defence: 'A code can be one time step before or after the service’s clock, and no more.',
      heldBy: ['packages/server/test/sign-in/mfa/totp.test.ts'],
    },
    {
      id: 'T133',
      attack: '1,000 guesses of a code arrive at once, on several instances.',
      defence:
        'One password allows five codes, counted in the statement that finds the login. Over many logins, codes count in the rate limit of the account, as passwords do.',
    },
    {
      id: 'T134',
      attack: 'An attacker who knows the password keeps guessing codes.',
      defence:
        'Wrong codes and wrong passwords of an account share one counter. Only a complete login resets it.',
    },
    {
      id: 'T135',
      attack: 'The same code or recovery code is sent many times at once.',
      defence: 'One statement uses it up: of any number of requests, one succeeds.',
    },
    {
      id: 'T136',
      attack:
        'A recovery code was used, belongs to another person, was replaced by new ones, or is older than the current second factor.',
      defence:
        'Each code is valid once and for its owner. New codes invalidate the old ones, and so does the removal of the last factor.',
      heldBy: [story],
    },
    {
      id: 'T137',
      attack:
        'An attacker reads secrets, codes and enrolment codes from responses, logs, records or the database.',
      defence:
        'Each is in the single response that shows it. The database contains encrypted secrets and hashes. No log and no record contains either.',
    },
    {
      id: 'T138',
      attack:
        'An attacker with a stolen password sets up a factor during login, although none is required or one exists.',
      defence:
        'A factor can be set up during login only if the role requires one and the account has none that completes the login.',
      open: 'If a role requires a factor and a person has never had one, the first person with the password can set it up. Ask people to enrol before the role requires it.',
    },
    {
      id: 'T139',
      attack:
        'After an administrator removed a factor, an attacker sets up a new one without a code, or with a code that belongs to another person, has expired, was replaced or was used.',
      defence:
        'A person who ever had a factor needs the code that the administrator was shown: 80 random bits, valid once and for 24 hours.',
      heldBy: [story],
    },
    {
      id: 'T140',
      attack: 'An unconfirmed app is accepted as a factor, or is confirmed in another login.',
      defence:
        'Until a code confirms it in its own login, an app proves nothing and is not required. The next enrolment that begins replaces it.',
    },
    {
      id: 'T141',
      attack:
        'Two people set up a factor for one account at the same time, so that the later one replaces the earlier one.',
      defence:
        'Enrolment during login replaces nothing. The check runs again under a lock, at the start and at the confirmation.',
    },
    {
      id: 'T142',
      attack:
        'A login continues after the first step although the password, the role or the factors were changed, or the user or the role was disabled.',
      defence: 'Every step reads the account again. Changes that end sessions also end unfinished logins.',
    },
    {
      id: 'T143',
      attack:
        'A login has only the four basic fields, or uses an instance of the previous version, although more is required.',
      defence:
        'The database itself refuses a session with too few proofs, or with a factor that belongs to another person, is unconfirmed or was removed.',
    },
    {
      id: 'T144',
      attack: 'A role’s requirement is raised while a login is in progress.',
      defence:
        'The session is stored under the lock that the change of the requirement holds. It meets the new requirement, or is ended before the change returns.',
      heldBy: [story],
    },
    {
      id: 'T145',
      attack:
        'An administrator with limited rights lists or removes the factors of other people, or raises or lowers the requirement of a role.',
      defence:
        'This needs the same right to manage as a password or a role: the data scope, every call and every row. Only `admin` can change `admin`. An administrator cannot remove their own factors with this endpoint.',
    },
    {
      id: 'T146',
      attack: 'An attacker with a stolen or unattended session changes how its owner logs in.',
      defence:
        'Adding and removing factors and creating recovery codes need the password again; confirming an app needs one of its codes. Wrong answers count per person, separately from the guesses of unauthenticated clients.',
    },
    {
      id: 'T147',
      attack: 'A code or requirement field contains unexpected fields, SQL or unusual text.',
      defence:
        'The schemas of the steps accept no other fields: six digits, or 16 to 32 characters that are hashed. Further fields beside a password prove nothing.',
      heldBy: ['test/conformance/every-endpoint.test.ts'],
    },
    {
      id: 'T148',
      attack: 'A user with write access to the database replaces another person’s app secret with their own.',
      defence:
        'A secret is encrypted together with the id of its owner, and cannot be decrypted for another person. Every code is then wrong. The log tells the operator why; the response does not.',
    },
    {
      id: 'T149',
      attack: 'An attacker learns from the start or the refusal of a login which accounts or factors exist.',
      defence:
        'The start of a login asks for no name. Until the password is right, every refusal has the same text, headers and response time.',
    },
  ],
};
