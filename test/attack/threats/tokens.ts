// Threats T01 to T16, the chapter “Forged tokens”.
import type { Section } from './threat.ts';

export const tokens: Section = {
  title: 'Forged tokens',
  page: 'forged-tokens',
  threats: [
    {
      id: 'T01',
      attack:
        'The token names the algorithm `none` in any spelling, names an algorithm of another type, or names none.',
      defence:
        'The service accepts one algorithm and compares its name byte by byte before it looks up a key.',
    },
    {
      id: 'T02',
      attack: 'The token is an HMAC whose secret is the public key, also with white space around the key.',
      defence: 'Keys are typed objects on the curve P-256. No verifier handles a key as text.',
    },
    {
      id: 'T03',
      attack: 'The token uses a known key with a second algorithm, or the stored key is of another kind.',
      defence:
        'Only ES256 is accepted. A key of another curve or kind verifies nothing. A stored row that is not a key prevents the start.',
    },
    {
      id: 'T04',
      attack: '`kid` contains a path, SQL, a URL, or a property name that every object has.',
      defence:
        'The service looks up the id in a Map in memory. It opens no file, sends no query and resolves no name for it.',
    },
    {
      id: 'T05',
      attack: 'The header contains a key, or an address from which to fetch a key.',
      defence: 'A header contains `alg`, `typ` and `kid`, and nothing else.',
    },
    {
      id: 'T06',
      attack: 'The token contains a critical extension (`crit`), and the verifier ignores it.',
      defence: 'Any further header member is rejected, whatever its value.',
    },
    {
      id: 'T07',
      attack: 'The token uses JSON serialization, JWE, nested or detached content, or two or four segments.',
      defence:
        'A token has three base64url segments, each in canonical form, and each contains canonical JSON.',
    },
    {
      id: 'T08',
      attack:
        'A different text encodes the same signature; it is used while the token is valid, and after the logout.',
      defence: 'The service reads only the canonical text. It revokes a token by its `jti`, not by its text.',
    },
    {
      id: 'T09',
      attack: 'The master key is short or published, so that an attacker can guess it.',
      defence:
        'Outside dev, the service does not start with a master key that is short, repetitive, a phrase or published. Signing keys are random and cannot be configured.',
    },
    {
      id: 'T10',
      attack: 'A claim is missing, has another type, or is an impossible number.',
      defence: 'A schema accepts exactly our claims. The verifier checks the maximum lifetime too.',
    },
    {
      id: 'T11',
      attack: 'A dev token, which is valid for a hundred years, is used in production.',
      defence:
        'Dev has separate signing keys, which other modes do not load. Outside dev, no token is valid for more than a day.',
    },
    {
      id: 'T12',
      attack: 'A token that the same key signed for another purpose is used as an access token.',
      defence:
        '`typ` and `iss` are compared exactly. Our tokens have no `aud`, so a token with one is rejected.',
    },
    {
      id: 'T13',
      attack: 'The token contains duplicate members, `__proto__`, deep nesting, or a megabyte of data.',
      defence:
        'A token has at most 4096 characters. JSON that does not serialize back to the same text is rejected.',
    },
    {
      id: 'T14',
      attack: 'A user id is so large that a double rounds it to the id of another user.',
      defence: 'A database constraint keeps ids below 2^53. `sub` is text and must agree with the user id.',
    },
    {
      id: 'T15',
      attack: 'The cache of verified tokens returns the claims of another token.',
      defence:
        'A cache entry contains the whole token text, and the text is compared. Every hit checks the expiry; after every change it checks key, role and revocation again.',
    },
    {
      id: 'T16',
      attack: 'A key appears in a log, a response, a health page or a table.',
      defence:
        'No log and no response contains a setting or a key. Private keys are stored encrypted, and no page dumps internal state.',
    },
  ],
};
