// The service as it would be without what stands against the attacks of this folder, for their controls.
import { runCarelessly } from '../run-carelessly.ts';

const attempts = '/sign-in/login/login-flow-store.ts';
await runCarelessly([
  // Any captcha, any time, any number of tries, and none is ever over.
  { file: attempts, from: `.where('captcha_mac', '=', captchaMac)`, to: '' },
  { file: attempts, from: `.where('expires_at', '>', sql<Date>\`now()\`)`, to: '' },
  { file: attempts, from: `row('tries', '=', 0)`, to: `row('tries', '>=', 0)` },
  { file: attempts, from: `row('tries', '<=', laterTries)`, to: `row('tries', '>=', 0)` },
  {
    file: '/sign-in/login/login-flows.ts',
    from: 'end: () => store.remove(hash)',
    to: 'end: async () => true',
  },
  // Whoever passed the first step is not looked at again.
  { file: '/sign-in/login/login-progress.ts', from: ' || found.account.epoch !== attempt.epoch', to: '' },
  { file: '/sign-in/login/login-progress.ts', from: '!found.userEnabled || !found.roleEnabled', to: 'false' },
  // A code as often as one likes, and from further off.
  { file: '/sign-in/mfa/totp/totp.ts', from: 'const drift = 1;', to: 'const drift = 2;' },
  { file: '/sign-in/mfa/totp/totp.ts', from: ' && step > after', to: '' },
  { file: '/sign-in/mfa/credential-store.ts', from: `.where('counter', '<', step)`, to: '' },
  {
    file: '/sign-in/mfa/recovery/code-store.ts',
    from: `.where('hash', '=', hash)\n    .where('used_at', 'is', null)`,
    to: `.where('hash', '=', hash)`,
  },
  // Everybody enrols on the way in.
  { file: '/sign-in/mfa/next-steps.ts', from: '!next.enrol.includes(kind)', to: 'false' },
  { file: '/sign-in/mfa/next-steps.ts', from: 'next.codeRequired && ', to: 'false && ' },
  {
    file: '/sign-in/mfa/factor-changes.ts',
    from: 'await lockForChange(transaction, userId, enroller);',
    to: '',
  },
]);
