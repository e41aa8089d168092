// The service as it would be without what stands against the attacks of machines.test.ts, for their controls.
import { runCarelessly } from '../run-carelessly.ts';

const assertion = '/sign-in/service-accounts/assertion.ts';
const method = '/sign-in/service-accounts/key-method.ts';
const store = '/sign-in/service-accounts/key-store.ts';
const isSolved = 'return expected?.length === given.length && timingSafeEqual(expected, given);';

await runCarelessly([
  // Any captcha, also the other kind, and as often as one likes.
  { file: '/sign-in/service-accounts/text-captcha.ts', from: isSolved, to: 'return true;' },
  { file: '/sign-in/login/captcha/captcha.ts', from: isSolved, to: 'return true;' },
  { file: assertion, from: '!isBound || ', to: '' },
  // Whoever it is for, whenever, and whatever it is.
  { file: assertion, from: 'aud !== audience || ', to: '' },
  {
    file: assertion,
    from: 'iat > now + leewaySeconds || exp <= now || exp <= iat || exp - iat > longestSeconds',
    to: 'false',
  },
  {
    file: assertion,
    from: "typ !== assertionType || typeof kid !== 'string' || Object.keys(more).length > 0",
    to: 'more === undefined',
  },
  // The algorithm and the key that it says itself.
  {
    file: assertion,
    from: 'if (alg !== algorithmOf(key)) return false;',
    to: `if (alg === 'none') return true;
      if (alg === 'HS256') {
        const { createHmac } = process.getBuiltinModule('node:crypto');
        return createHmac('sha256', key.x).update(signed).digest().equals(signature.subarray(0, 32));
      }`,
  },
  {
    file: assertion,
    from: 'const publicKey = readPublicKey(key);',
    to: 'const publicKey = readPublicKey(header.jwk ?? key);',
  },
  { file: assertion, from: 'iss !== header.kid', to: 'false' },
  // Whoever it names, whatever became of the account or the key, and any number of times.
  { file: method, from: 'assertion?.account !== account.username', to: 'assertion === undefined' },
  { file: method, from: '!found.userEnabled', to: 'false' },
  { file: method, from: '!found.roleEnabled', to: 'false' },
  {
    file: store,
    from: `.where('subject', '=', kid)\n    .where('ended_at', 'is', null)`,
    to: `.where('subject', '=', kid)`,
  },
  { file: store, from: ' and ended_at is null and exists (select from spent)', to: '' },
]);
