// Threats T109 to T114, the chapter “Clients that share a network or a limit”.
import type { Section } from './threat.ts';

export const office: Section = {
  title: 'Clients that share a network or a limit',
  page: 'shared-networks',
  threats: [
    {
      id: 'T109',
      attack:
        'An attacker fails logins or fetches captchas until other users behind the same address cannot log in.',
      defence:
        'A device on which an account has logged in has separate guesses, captchas and slots. A cookie selects them and proves nothing: it gives five guesses per hour, for the accounts of this device only. Guesses of one’s own password count per person.',
      heldBy: [
        'packages/server/test/sign-in/login/device-cookie.test.ts',
        'packages/server/test/sign-in/login/throttle/throttle-store.test.ts',
        'packages/server/test/sign-in/login/log-in.test.ts',
      ],
      open: 'A first login, or a login from another browser, has only what the network has left.',
    },
    {
      id: 'T110',
      attack:
        'Anonymous requests use up the limits until signed-in users of the same network, or a revocation, are refused.',
      defence:
        'A request with a valid token counts for its user, and a revocation has a separate limit per user. The network pays for unauthenticated requests. A successful verification costs nothing, so a restart locks no user out.',
      heldBy: [
        'packages/gate/test/pipeline.test.ts',
        'packages/gate/test/checks/identity-check.test.ts',
        'packages/server/test/http/limits/caller-limit-check.test.ts',
      ],
    },
    {
      id: 'T111',
      attack: 'Forged tokens cause an unlimited number of signature checks.',
      defence:
        'Each failed check is charged to its network before the next check starts. Parallel requests of a network wait for each other.',
      heldBy: ['packages/server/test/http/limits/unauthenticated-limit.test.ts'],
    },
    {
      id: 'T112',
      attack: 'A large number of clients fetches captchas, and drawing them blocks the event loop.',
      defence:
        'A separate thread draws captchas in advance, into a stock. The queue is short, and requests above its length are refused.',
      heldBy: [
        'packages/server/test/sign-in/login/captcha/captcha-stock.test.ts',
        'packages/server/test/sign-in/login/captcha/drawing-thread.test.ts',
      ],
    },
    {
      id: 'T113',
      attack: 'A caller who can create users or set passwords keeps the processors busy with hashes.',
      defence:
        'Hashes are limited per caller and minute. One is computed at a time, after every waiting login. A username that is taken costs no hash.',
      heldBy: [
        'packages/server/test/sign-in/login/credentials/caller-hashes.test.ts',
        'packages/server/test/sign-in/login/credentials/hash-pool.test.ts',
        'packages/server/test/people/users/user-creation.test.ts',
      ],
    },
    {
      id: 'T114',
      attack: 'An attacker guesses at a name before its account exists, so that the new user cannot log in.',
      defence: 'The creation of the user resets the count of wrong guesses.',
      heldBy: ['packages/server/test/people/users/user-creation.test.ts'],
    },
  ],
};
