import { AppError, type LoginBody } from '@portcullis/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type {
  FoundAccount,
  StoredAccount,
  Verification,
} from '../../../src/sign-in/login/credentials/credential-verifier.ts';
import type { Device } from '../../../src/sign-in/login/device-cookie.ts';
import type { LoginEntryFacts } from '../../../src/sign-in/login/log-entry.ts';
import { createLogIn } from '../../../src/sign-in/login/log-in.ts';
import type { LoginNetwork } from '../../../src/sign-in/login/throttle/login-concurrency-limit.ts';
import type { Admission } from '../../../src/sign-in/login/throttle/throttle.ts';
import { createOneStep } from './one-step.ts';

const account = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 1,
} as const;
const nothing = { result: undefined, milliseconds: 0 };
const guessed: Admission = {
  prefetched: nothing,
  settleBySession: (jti) => sql`${jti}`,
  isSettled: false,
  keepAsWrong: () => async () => {},
};
const selected = { query: sql`select`, read: () => ({}) as StoredAccount };
const issued = { token: 'a.b.c', jti: 'j', expiresAt: new Date(0) };
const body = { username: 'mei', password: 'right', uuid: 'id', code: 'ABCDE' };

interface World {
  captchaRequired?: boolean;
  solved?: boolean | Error;
  verification?: Verification | Error;
  signing?: Error;
  full?: boolean;
  throttled?: boolean;
  /** What is read where the guess is admitted. */
  found?: FoundAccount;
  device?: Device;
}

/** Logs in against parts that write down when they are asked, and with what. */
async function attempt(sent: LoginBody, world: World = {}) {
  const places: LoginNetwork[] = [];
  const steps: unknown[] = [];
  const learned: string[] = [];
  const facts: LoginEntryFacts = {};
  const answer = <T>(value: T | Error): Promise<T> =>
    value instanceof Error ? Promise.reject(value) : Promise.resolve(value);
  const { logIn } = createLogIn({
    captchaRequired: world.captchaRequired ?? true,
    captcha: {
      issue: () => Promise.reject(new Error('Login issues no captcha.')),
      isSolvedBy: (...asked) => {
        steps.push(['captcha', ...asked]);
        return answer(world.solved ?? true);
      },
    },
    knownNetworks: { has: () => false, add: (network) => void learned.push(network) },
    slots: {
      run: async (from, work) => {
        places.push(from);
        if (world.full) throw new AppError('rate_limited');
        return await work();
      },
    },
    throttle: {
      attempt: async (guess, verify, prefetched) => {
        steps.push(prefetched === undefined ? ['throttle', guess] : ['throttle', guess, prefetched]);
        if (world.throttled) throw new AppError('rate_limited');
        return await verify({ ...guessed, prefetched: (world.found ?? nothing) as never });
      },
    },
    ...createOneStep(
      {
        verify: (given, { found }) => {
          steps.push(found === undefined ? ['credentials', given] : ['credentials', given, found]);
          return answer(world.verification ?? { account });
        },
      },
      { readsAccount: world.found !== undefined },
    ),
    selectAccount: (username) => (username === 'mei' ? selected : undefined),
    deviceCookie: {
      read: () => undefined,
      next: (device, username) => ({ id: device?.id ?? 'fresh', owner: `owner ${username}` }),
      isOf: () => true,
      set: () => {},
    },
    issueToken: (subject, _origin, _proof, given) => {
      expect(given?.settleBySession).toBe(guessed.settleBySession);
      steps.push(['token', subject]);
      return answer(world.signing ?? issued);
    },
  });
  const origin = { ip: '2001:db8:0:7::9', userAgent: undefined, requestId: 'r-1', device: world.device };
  const outcome = await logIn(sent, origin, facts).catch((error: unknown) =>
    error instanceof AppError ? error.kind : error,
  );
  return { outcome, facts, steps, learned, places, order: steps.map((step) => (step as unknown[])[0]) };
}

const fault = new Error('The store is away.');
const found: FoundAccount = { result: undefined, milliseconds: 1 };

describe('a login stops', () => {
  it.each([
    ['uuid', { username: 'mei', password: 'right', code: 'ABCDE' }],
    ['code', { username: 'mei', password: 'right', uuid: 'id' }],
    ['both', { username: 'mei', password: 'right' }],
  ])('at the parameters when %s is missing, before anything is asked', async (_what, sent) => {
    expect(await attempt(sent)).toMatchObject({ outcome: 'captcha_missing', order: [], facts: {} });
  });

  it('at a wrong captcha, before user and password are looked at', async () => {
    expect(await attempt(body, { solved: false })).toMatchObject({
      outcome: 'captcha_wrong',
      order: ['captcha'],
      facts: {},
    });
  });

  it('after too many attempts, also where the account would be read in the same statement', async () => {
    expect(await attempt(body, { throttled: true, found })).toMatchObject({
      outcome: 'rate_limited',
      order: ['captcha', 'throttle'],
      facts: {},
    });
  });

  it('where no slot is free, before the captcha is spent', async () => {
    expect(await attempt(body, { full: true })).toMatchObject({ outcome: 'rate_limited', order: [] });
  });

  it('after too many attempts, after the captcha and before the password check', async () => {
    expect(await attempt(body, { throttled: true })).toMatchObject({
      outcome: 'rate_limited',
      order: ['captcha', 'throttle'],
      facts: {},
      learned: [],
    });
  });

  it.each(['credentials_wrong', 'user_disabled', 'role_disabled'] as const)(
    'at %s, with the same answer as any other, and the reason for the log alone',
    async (refused) => {
      for (const known of [account, undefined])
        expect(await attempt(body, { verification: { refused, account: known } })).toMatchObject({
          outcome: 'credentials_wrong',
          order: ['captcha', 'throttle', 'credentials'],
          learned: [],
          facts: { reason: refused, account: known },
        });
    },
  );

  it.each([
    ['captcha', { solved: fault }, ['captcha']],
    ['credentials', { verification: fault }, ['captcha', 'throttle', 'credentials']],
    ['token', { signing: fault }, ['captcha', 'throttle', 'credentials', 'token']],
  ])('at the %s when it fails, and goes no further', async (_step, world, order) => {
    expect(await attempt(body, world)).toMatchObject({ outcome: fault, order });
  });
});

describe('a login succeeds', () => {
  it('after captcha, throttle, credentials and token, in that order and once each', async () => {
    expect(await attempt(body)).toEqual({
      outcome: { ...issued, device: { id: 'fresh', owner: 'owner mei' } },
      facts: { account, jti: 'j', method: 'password' },
      learned: ['2001:db8:0:7::/64'],
      places: [{ network: '2001:db8:0:7::/64', isKnownNetwork: false }],
      order: ['captcha', 'throttle', 'credentials', 'token'],
      steps: [
        ['captcha', 'id', 'ABCDE'],
        [
          'throttle',
          { username: 'mei', network: '2001:db8:0:7::/64', device: 'fresh', isKnownDevice: false },
        ],
        ['credentials', body],
        ['token', account],
      ],
    });
  });

  it('with the account that was read when the attempt was admitted, in the same order', async () => {
    const { outcome, steps } = await attempt(body, { found });
    expect(outcome).toMatchObject(issued);
    expect(steps).toEqual([
      ['captcha', 'id', 'ABCDE'],
      ['throttle', expect.anything(), selected],
      ['credentials', body, found],
      ['token', account],
    ]);
  });

  it('on a known device by the device, and not by what its network has left', async () => {
    const device = { id: 'desk', owner: 'owner carl' };
    const { outcome, steps, places, learned } = await attempt(body, { device });
    expect(places).toEqual([{ network: 'device of owner carl', isKnownNetwork: true, isOnePerson: true }]);
    const network = '2001:db8:0:7::/64';
    expect(steps[1]).toEqual(['throttle', { username: 'mei', network, device: 'desk', isKnownDevice: true }]);
    expect(outcome).toMatchObject({ device: { id: 'desk', owner: 'owner mei' } });
    expect(learned).toEqual([network]);
  });

  it.each([
    ['none is sent', { username: 'mei', password: 'right' }],
    ['one is sent', body],
  ])('in dev without a look at the captcha, when %s', async (_what, sent) => {
    const { outcome, order } = await attempt(sent, { captchaRequired: false, solved: false });
    expect(outcome).toMatchObject(issued);
    expect(order).toEqual(['throttle', 'credentials', 'token']);
  });

  it('with whatever account another way to verify gives, passed on as it is', async () => {
    const other = { ...account, userId: 99, username: 'by sms', roleKey: 'viewer' };
    const { steps, facts } = await attempt(body, { verification: { account: other } });
    expect(steps.at(-1)).toEqual(['token', other]);
    expect(facts.account).toBe(other);
  });
});
