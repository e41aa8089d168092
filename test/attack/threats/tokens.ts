// T01 to T16: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const tokens: Section = {
  title: 'Forging and validating tokens',
  threats: [
    {
      id: 'T01',
      attack: '`alg` is none, in any spelling, of another type, or missing',
      defence: 'One algorithm, compared byte by byte before a key is looked up',
    },
    {
      id: 'T02',
      attack: 'The public key serves as the secret of an HMAC, also with white space around it',
      defence: 'Keys are typed objects on P-256; no verifier ever sees a key as text',
    },
    {
      id: 'T03',
      attack: 'One key under a second algorithm, or a stored key of another kind',
      defence:
        'ES256 only, and a key of another curve or kind verifies nothing; a row that is no key stops the start',
    },
    {
      id: 'T04',
      attack: '`kid` holds a path, SQL, a URL, a name that all objects share',
      defence: 'The id is looked up in a Map in memory; nothing is opened, asked or resolved for it',
    },
    {
      id: 'T05',
      attack: 'The header brings a key along, or says where to fetch one',
      defence: 'A header has `alg`, `typ` and `kid` and nothing else',
    },
    {
      id: 'T06',
      attack: 'An extension that must be understood is ignored (`crit`)',
      defence: 'Any further header member is refused, whatever it says',
    },
    {
      id: 'T07',
      attack: 'JSON serialization, JWE, nested or detached content, two or four segments',
      defence: 'Three segments of base64url, each canonical, of canonical JSON',
    },
    {
      id: 'T08',
      attack: 'Another text for the same signature, also after logout',
      defence: 'Only the canonical text is read; tokens are ended by `jti`, never by their text',
    },
    {
      id: 'T09',
      attack: 'A weak or published key',
      defence:
        'Outside dev no start with a master key that is short, repeats itself, is a phrase or is published; signing keys are made at random and never configured',
    },
    {
      id: 'T10',
      attack: 'A claim is missing, of another type, or a number that cannot be',
      defence: 'A schema of exactly our claims; the lifetime is bounded when verifying too',
    },
    {
      id: 'T11',
      attack: 'A token of dev, which lives a hundred years, in production',
      defence:
        'Dev has keys of its own that others do not load, and outside dev no token lives longer than a day',
    },
    {
      id: 'T12',
      attack: 'A token of the same key that was made for something else',
      defence: '`typ` and `iss` are compared exactly; there is no `aud`, so a token that has one is not ours',
    },
    {
      id: 'T13',
      attack: 'Members twice, `__proto__`, depth, a megabyte',
      defence: 'At most 4096 characters; JSON that does not read back as it was written is refused',
    },
    {
      id: 'T14',
      attack: 'A user id that a double rounds to another user',
      defence: 'Ids stay below 2^53 by a constraint of the database; `sub` is text and must agree',
    },
    {
      id: 'T15',
      attack: 'A cache of verified tokens answers with the claims of another',
      defence:
        'An entry holds the whole text, which is compared; expiry is asked on every hit, and key, role and revocation again after every change',
    },
    {
      id: 'T16',
      attack: 'A key shows in a log, an answer, a health page or a table',
      defence:
        'Nothing logs or answers with a setting or a key; private parts are sealed in the store, and there is no page that dumps anything',
    },
  ],
};
