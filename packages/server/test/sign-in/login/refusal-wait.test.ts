// What a login does before its refusal waits: nothing but its guess is held meanwhile, whether a hash or a directory decided.
import { AppError } from '@portcullis/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import { createRefusalDeadline } from '../../../src/sign-in/login/credentials/refusal-deadline.ts';
import type { LoginEntryFacts } from '../../../src/sign-in/login/log-entry.ts';
import { createLogIn } from '../../../src/sign-in/login/log-in.ts';
import type { LoginMethod, Proof } from '../../../src/sign-in/login/method.ts';
import { createOneStep } from './one-step.ts';

interface World {
  /** What a directory says; left out where the password is verified here. */
  readonly there?: Proof | AppError;
  /** What is said here. */
  readonly here?: Proof;
  readonly isAnyEnabled?: boolean;
}

const refused = { refused: 'credentials_wrong' } as const;
const account = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 1,
} as const;

/** Logs in where a hash takes 20 ms and a directory 100 ms; tells how each ended, and what was held while it waited. */
function createWorld() {
  const held = new Set<string>();
  const waits: { milliseconds: number; held: string[] }[] = [];
  let heldBeforeGuess: string[] = [];
  let now = 0;
  let world: World = {};
  let settle = async () => {};
  async function hold<T>(what: string, work: () => Promise<T>): Promise<T> {
    held.add(what);
    try {
      return await work();
    } finally {
      held.delete(what);
    }
  }
  const method: LoginMethod = {
    name: 'ldap',
    factor: 1,
    begins: true,
    wrong: 'credentials_wrong',
    reads: () => true,
    verify: () =>
      hold('place', async () => {
        now += 100;
        const { there = refused } = world;
        if (there instanceof AppError) throw there;
        return there;
      }),
  };
  const refusals = createRefusalDeadline({
    limitMilliseconds: 3000,
    refusalTime: { milliseconds: 0 },
    monotonic: () => now,
    sleep: async (milliseconds) => void waits.push({ milliseconds, held: [...held] }),
  });
  const { logIn } = createLogIn({
    ...createOneStep(
      {
        async verify() {
          now += 20;
          return (world.here ?? refused) as never;
        },
      },
      { readsAccount: true },
    ),
    captchaRequired: false,
    captcha: { issue: () => Promise.reject(new Error('none')), isSolvedBy: async () => true },
    knownNetworks: { has: () => false, add: () => {} },
    slots: { run: (_from, work) => hold('slot', work) },
    throttle: {
      async attempt(_guess, verify) {
        heldBeforeGuess = [...held];
        held.add('guess');
        let isKept = false;
        try {
          return await verify({
            prefetched: { result: undefined, milliseconds: 0 },
            settleBySession: () => sql``,
            isSettled: false,
            keepAsWrong() {
              isKept = true;
              return async () => {
                held.delete('guess');
                await settle();
              };
            },
          });
        } finally {
          if (!isKept) held.delete('guess');
        }
      },
    },
    directory: {
      slots: { run: (_from, work) => hold('slot of directories', work) },
      find: async () => {
        const { there, isAnyEnabled = true } = world;
        return { isAnyEnabled, ...(there && { directory: { key: 'corp', method } }) };
      },
    },
    refusals,
    deviceCookie: {
      read: () => undefined,
      next: () => ({ id: 'desk', owner: 'mei' }),
      isOf: () => true,
      set: () => {},
    },
    issueToken: async () => ({ token: 'a.b.c', jti: 'j', expiresAt: new Date(0) }),
  });
  const attempt = async (given: World) => {
    world = given;
    waits.length = 0;
    const body = { username: 'mei', password: 'wrong' };
    const startedAt = now;
    const facts: LoginEntryFacts = {};
    const outcome = await logIn(body, { ip: '192.0.2.1', userAgent: undefined, requestId: 'r' }, facts).then(
      () => 'in',
      (error: AppError) => error.kind,
    );
    const waited = waits.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    return {
      outcome,
      milliseconds: now - startedAt + waited,
      held: waits.flatMap((wait) => wait.held),
      reason: facts.reason,
    };
  };
  return {
    attempt,
    waits,
    held,
    heldBeforeGuess: () => heldBeforeGuess,
    failToSettle() {
      settle = () => Promise.reject(new AppError('unavailable'));
    },
  };
}

describe('with a directory', () => {
  // An attempt that waits for the same guess would see when it was decided.
  const guess = ['guess'];
  it.each<[string, World, string[]]>([
    ['a wrong password of a local account', { here: { ...refused, account } }, guess],
    ['a disabled local account', { here: { refused: 'user_disabled', account } }, guess],
    ['an unknown name', { there: refused }, guess],
    ['a wrong password of a person of the directory', { there: { ...refused, account } }, guess],
    ['an account that is disabled at the directory', { there: { refused: 'user_disabled', account } }, guess],
    ['a person whom no account is linked to', { there: new AppError('provider_link_missing') }, []],
    ['a directory that is away', { there: new AppError('provider_unavailable') }, []],
  ])(
    'a refusal of %s comes at the deadline, and its attempt stays open until then',
    async (_what, given, kept) => {
      const { attempt, waits, held: heldNow } = createWorld();
      await attempt({ there: refused });
      const { milliseconds, held } = await attempt(given);
      failIfAttackSucceeded(milliseconds < 150, 'the time tells which authority refused');
      failIfAttackSucceeded(held.includes('slot'), 'the refusal holds a slot of other people');
      failIfAttackSucceeded(
        kept === guess && !held.includes('guess'),
        'the next attempt tells when this was refused',
      );
      expect({ milliseconds, held, waits: waits.length }).toEqual({
        milliseconds: 150,
        held: kept,
        waits: 1,
      });
      expect([...heldNow]).toEqual([]);
    },
  );

  it.each<[string, World]>([
    ['here', { here: { account } }],
    ['there', { there: { account } }],
  ])('a right password %s does not wait', async (_where, world) => {
    const { attempt, waits } = createWorld();
    await attempt({ there: refused });
    expect(await attempt(world)).toMatchObject({ outcome: 'in' });
    expect(waits).toEqual([]);
  });
});

it('an attempt at a directory waits for other attempts of the name without using the slots of other people or of the directory', async () => {
  const { attempt, heldBeforeGuess } = createWorld();
  await attempt({ there: refused });
  expect(heldBeforeGuess()).toEqual(['slot of directories']);
  await attempt({ here: refused });
  expect(heldBeforeGuess()).toEqual(['slot']);
});

it('without a directory a refusal waits only for the rest of its hash, and its attempt stays open', async () => {
  const { attempt } = createWorld();
  const here = { ...refused, restMilliseconds: 10 };
  const answer = { outcome: 'credentials_wrong', milliseconds: 30, held: ['guess'] };
  const refusal = await attempt({ here, isAnyEnabled: false });
  failIfAttackSucceeded(refusal.milliseconds < 30, 'the time tells that no whole hash was made');
  expect(refusal).toMatchObject(answer);
});

it.each<[string, World]>([
  ['beside a directory', { here: refused }],
  ['without a directory', { here: refused, isAnyEnabled: false }],
])('a refusal that cannot be counted is answered and recorded as unavailable %s', async (_where, world) => {
  const { attempt, failToSettle } = createWorld();
  expect(await attempt(world)).toMatchObject({ outcome: 'credentials_wrong', reason: 'credentials_wrong' });
  failToSettle();
  expect(await attempt(world)).toMatchObject({ outcome: 'unavailable', reason: undefined });
});
