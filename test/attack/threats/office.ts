// T109 to T114: what somebody does who shares a network, a pool or a form with others, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const office: Section = {
  title: 'Neighbours',
  threats: [
    {
      id: 'T109',
      attack: 'Wrong logins, or fetched captchas, until nobody behind the same address can log in',
      defence:
        'A device on which an account has logged in has guesses, captchas and slots of its own, selected by a cookie that proves nothing: five guesses an hour, on its accounts alone. The own password is guessed by person',
      heldBy: [
        'packages/server/test/sign-in/login/device-cookie.test.ts',
        'packages/server/test/sign-in/login/throttle/throttle-store.test.ts',
        'packages/server/test/sign-in/login/log-in.test.ts',
      ],
      open: 'Whoever logs in for the first time, or in another browser, has what the network has left.',
    },
    {
      id: 'T110',
      attack: 'Anonymous requests until signed-in people of the same network, or a revocation, are refused',
      defence:
        'A token goes by its person’s budget, and what takes access away by one of its own; the network pays for who is not known. A verification that succeeds costs nothing, so a restart locks nobody out',
      heldBy: [
        'packages/gate/test/pipeline.test.ts',
        'packages/gate/test/checks/identity-check.test.ts',
        'packages/server/test/http/limits/caller-limit-check.test.ts',
      ],
    },
    {
      id: 'T111',
      attack: 'Forged tokens that buy signature checks without end',
      defence:
        'Each that fails is charged to its network before the next is looked at; those that come at once wait for each other',
      heldBy: ['packages/server/test/http/limits/unauthenticated-limit.test.ts'],
    },
    {
      id: 'T112',
      attack: 'A crowd that fetches captchas keeps the event loop drawing',
      defence: 'Drawn in a thread, from a stock made ahead; a short line, and what is beyond it is shed',
      heldBy: [
        'packages/server/test/sign-in/login/captcha/captcha-stock.test.ts',
        'packages/server/test/sign-in/login/captcha/drawing-thread.test.ts',
      ],
    },
    {
      id: 'T113',
      attack: 'Whoever may create users or set passwords keeps the hashes busy',
      defence:
        'So many a minute for each caller, one at a time, after every login that waits; a name that somebody has costs none',
      heldBy: [
        'packages/server/test/sign-in/login/credentials/caller-hashes.test.ts',
        'packages/server/test/sign-in/login/credentials/hash-pool.test.ts',
        'packages/server/test/people/users/user-creation.test.ts',
      ],
    },
    {
      id: 'T114',
      attack: 'Guesses on a name that nobody has yet, so that its user cannot log in',
      defence: 'What was guessed is forgiven when the user is created',
      heldBy: ['packages/server/test/people/users/user-creation.test.ts'],
    },
  ],
};
