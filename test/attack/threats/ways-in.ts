// T125 to T149: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

const story = 'test/conformance/second-factor.test.ts';

export const waysIn: Section = {
  title: 'More than a password',
  threats: [
    {
      id: 'T125',
      attack: 'The handle of a login that is on its way, presented as a token',
      defence: 'It is no token in any carrier, for any endpoint; the body of a login alone takes it',
    },
    {
      id: 'T126',
      attack: 'A handle that is made up, of somebody else, expired or used, or with another captcha',
      defence:
        '256 random bits, bound to the captcha that the login began with, for ten minutes and one token. Who does not fit is told to begin again',
    },
    {
      id: 'T127',
      attack: 'Handles read from the database, an address, a log or a backup',
      defence:
        'The database has a hash of the handle, and of the captcha an HMAC with the handle as its key. It is in bodies alone, and in no log',
    },
    {
      id: 'T128',
      attack: 'Many passwords or names for one captcha',
      defence:
        'Beginning spends the captcha, and one password is looked at for it. What is refused there is in the login log',
    },
    {
      id: 'T129',
      attack: 'A code, a recovery code or an enrolment without the password',
      defence: 'They are steps of an attempt whose password was right, and of nothing else',
      heldBy: [story],
    },
    {
      id: 'T130',
      attack: 'The code of another person, of another app, or of one that was replaced',
      defence:
        'Only the confirmed app of whoever gave the password is asked; one that ended has no secret any more',
    },
    {
      id: 'T131',
      attack:
        'A code used again: on the same attempt, on another, on another instance, or an older one after a newer',
      defence:
        'The last step that was used is stored with the app and only grows, in one statement of the database',
      heldBy: [story],
    },
    {
      id: 'T132',
      attack: 'Codes of long ago, or of later',
      defence: 'One step either way of the own clock, and no further',
      heldBy: ['packages/server/test/sign-in/mfa/totp.test.ts'],
    },
    {
      id: 'T133',
      attack: '1,000 guesses of a code at once, over several instances',
      defence:
        'A password stands for five codes, counted in the statement that finds the attempt; over many attempts the throttle counts codes as it counts passwords',
    },
    {
      id: 'T134',
      attack: 'Guessing codes on and on with a password that is known',
      defence:
        'Wrong codes and wrong passwords of an account share one count, and only a login that is complete clears it',
    },
    {
      id: 'T135',
      attack: 'The same code or recovery code sent many times at once',
      defence: 'One statement takes it: of any number, one is let in',
    },
    {
      id: 'T136',
      attack:
        'A recovery code that was used, is of somebody else, was replaced by new ones, or outlived the factor',
      defence:
        'Each is good once and for its owner; new ones end the old, and so does the end of the last factor',
      heldBy: [story],
    },
    {
      id: 'T137',
      attack: 'Secrets, codes and enrolment codes read from answers, logs, records or the database',
      defence:
        'Each is in the one answer that shows it. Stored are sealed secrets and hashes; no log and no record has either',
    },
    {
      id: 'T138',
      attack:
        'Setting up a factor on the way in, with a stolen password, where none is demanded or there is one already',
      defence: 'Only where the role demands one and nothing is there that completes the login',
      open: 'Where a role demands a factor and somebody has never had one, whoever knows the password first sets it up. Ask people to enrol before the role demands it.',
    },
    {
      id: 'T139',
      attack:
        'Setting one up after an administrator took it, with no code, or a foreign, an expired, an old or a used one',
      defence:
        'Who ever had a factor needs the code that the administrator was shown: 80 random bits, once, for 24 hours',
      heldBy: [story],
    },
    {
      id: 'T140',
      attack: 'An app that nobody confirmed, taken for a factor, or confirmed on another attempt',
      defence:
        'Until its own attempt has confirmed it by a code, it proves nothing and demands nothing; the next that is begun takes its place',
    },
    {
      id: 'T141',
      attack: 'Two who set up a factor of one person at the same time, so that the later one replaces it',
      defence:
        'On the way in nothing is replaced: under a lock it is asked again, when it begins and when it is confirmed',
    },
    {
      id: 'T142',
      attack:
        'Going on after the first step where the password, the role or the factors were changed, or the user or role disabled',
      defence: 'Every step looks at the account again; what ends sessions ends attempts, too',
    },
    {
      id: 'T143',
      attack:
        'A login with the four fields alone, or through an instance of the version before, where more is demanded',
      defence:
        'The database itself refuses a session that proves too little, or by a factor that is not the own one, confirmed and still there',
    },
    {
      id: 'T144',
      attack: 'A login that is on its way while the demand is raised',
      defence:
        'The session is stored under the lock that the raise holds: it meets the new demand, or is ended before the raise returns',
      heldBy: [story],
    },
    {
      id: 'T145',
      attack:
        'An administrator of some who lists or takes the factors of others, or raises or lowers what a role demands',
      defence:
        'The same reach as for a password or a role: the data scope, every call and every row. Nobody but `admin` touches `admin`, and nobody takes the own factors in this way',
    },
    {
      id: 'T146',
      attack: 'A token that was stolen or left open, used to change how its owner logs in',
      defence:
        'Adding, ending and new recovery codes need the password once more, and confirming a code. What is wrong counts by person, apart from what strangers guess',
    },
    {
      id: 'T147',
      attack: 'Fields that nobody asked for, SQL and odd texts where a code or a demand is expected',
      defence:
        'Steps are closed schemas: six digits, or 16 to 32 characters that are hashed. What stands beside a password proves nothing',
      heldBy: ['test/conformance/every-endpoint.test.ts'],
    },
    {
      id: 'T148',
      attack: 'Somebody who writes to the database puts the secret of the own app in the place of another’s',
      defence:
        'A secret is sealed together with the id of its owner: it does not open for another. Every code is wrong then; the operator is told why, the caller is not',
    },
    {
      id: 'T149',
      attack: 'Learning who has an account or a factor from how a login begins or is refused',
      defence:
        'Beginning asks for no name. Until the password is right, every refusal is the same in words, headers and time',
    },
  ],
};
