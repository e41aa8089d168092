// The attempts that the load makes: what is sent, and what the row of the log must say for what was answered.
import type { LoginReason } from '@portcullis/contract';
import type { Random } from '../../fuzz/random.ts';
import { password } from '../../rig/seed.ts';
import { nameOf, networkOf, people } from './seed-people.ts';

export const attemptKinds = [
  'success',
  'wrong-password',
  'unknown-user',
  'disabled-user',
  'disabled-role',
  'closed-account',
  'params-invalid',
  'hostile-name',
  'captcha-wrong',
  'logout',
] as const;
export type AttemptKind = (typeof attemptKinds)[number];

/** What an answer tells: `ok`, or its X-Auth-Reason. */
export const tellings = [
  'ok',
  'params_invalid',
  'captcha_wrong',
  'credentials_wrong',
  'rate_limited',
  'unavailable',
] as const;
export type Telling = (typeof tellings)[number];

/** The reason that the log must give. Undefined: this attempt cannot be answered so. */
export function loggedReason(kind: AttemptKind, told: Telling): LoginReason | undefined {
  switch (told) {
    case 'ok':
      if (kind === 'logout') return 'logout';
      return kind === 'success' ? 'ok' : undefined;
    case 'credentials_wrong':
      if (kind === 'disabled-user') return 'user_disabled';
      if (kind === 'disabled-role') return 'role_disabled';
      return kind === 'success' || kind === 'logout' ? undefined : 'credentials_wrong';
    case 'rate_limited':
      return 'throttled';
    case 'params_invalid':
    case 'captcha_wrong':
    case 'unavailable':
      return told;
  }
}

/** Of a hundred attempts. The rest is `params-invalid`, which costs least. */
const sharesWithoutCaptcha: Partial<Record<AttemptKind, number>> = {
  success: 30,
  'wrong-password': 15,
  'unknown-user': 10,
  'disabled-user': 1,
  'disabled-role': 1,
  'closed-account': 4,
  'hostile-name': 8,
};
const sharesWithCaptcha: Partial<Record<AttemptKind, number>> = { 'captcha-wrong': 50, 'hostile-name': 10 };
/** A logout waits for every instance, and so for the lease of one that was killed: few of them, then. */
const logoutOneIn = 2000;

export function pickKind(random: Random, captchaRequired: boolean): AttemptKind {
  if (!captchaRequired && random.once(logoutOneIn)) return 'logout';
  let left = random.below(100);
  for (const [kind, share] of Object.entries(captchaRequired ? sharesWithCaptcha : sharesWithoutCaptcha)) {
    left -= share;
    if (left < 0) return kind as AttemptKind;
  }
  return 'params-invalid';
}

/** Names that a table, a batch or a line of text might stumble over. They are refused or unknown, and logged. */
const hostileNames = [
  'nul\u0000inside',
  'half \ud83d',
  'line\r\nbreak',
  '=cmd|calc',
  '\u001b[31mred',
  'x'.repeat(300),
  '"}\\',
];

export interface Sent {
  readonly path: string;
  readonly network: string;
  readonly token: string | undefined;
  readonly body: string;
}

/** `number` makes unknown names unique. `token` is for a logout. */
export function createRequest(
  kind: AttemptKind,
  number: number,
  random: Random,
  token: string | undefined,
): Sent {
  const login = (username: string, secret: string, more = {}) => ({
    path: '/api/v1/login',
    network: networkOf(username),
    token: undefined,
    body: JSON.stringify({ username, password: secret, ...more }),
  });
  switch (kind) {
    case 'success':
      return login(nameOf('live', random.below(people.live)), password);
    case 'wrong-password':
      return login(nameOf('live', random.below(people.live)), 'wrong');
    case 'unknown-user':
      return login(`nobody${number}`, password);
    case 'disabled-user':
      return login(nameOf('idle', random.below(people.idle)), password);
    case 'disabled-role':
      return login(nameOf('retired', random.below(people.retired)), password);
    case 'closed-account':
      return login(`closed${random.below(2)}`, 'wrong');
    case 'params-invalid':
      return { ...login('', ''), body: random.once(10) ? '{"username":' : '{"username":"half"}' };
    case 'hostile-name':
      return login(random.pick(hostileNames), 'wrong');
    case 'captcha-wrong':
      return login(nameOf('live', random.below(people.live)), password, { uuid: `${number}`, code: '0000' });
    case 'logout':
      return { ...login('', ''), path: '/api/v1/logout', token, body: '' };
  }
}
