import { AppError, type Caller } from '@portcullis/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRevocations } from '../../src/access/revocations.ts';
import {
  createIdentityCheck,
  type Identifiable,
  type UnauthenticatedLimit,
} from '../../src/checks/identity-check.ts';
import { createTokenVerifier } from '../../src/token/verify-token.ts';
import { createTestKeys, goodClaims, goodHeader, nowSeconds } from '../test-keys.ts';

const keys = createTestKeys();
const good = keys.token(goodHeader, goodClaims);

/** A check whose whole world a test can change between two calls. */
function createWorld() {
  const world = {
    seconds: nowSeconds,
    liveKeys: ['k1'],
    roles: new Map([[2, { roleKey: 'editor', dataScope: '3' }]]),
    revocations: createRevocations(86_400, Date.now),
    generation: 1,
    verifications: 0,
    whileVerifying: () => {},
  };
  const now = () => world.seconds * 1000;
  const ring = {
    ...keys.ring,
    find: (kid: string) => (world.liveKeys.includes(kid) ? keys.ring.find(kid) : undefined),
  };
  const verify = createTokenVerifier({ keys: ring, maxLifetimeSeconds: 86_400, now });
  const check = createIdentityCheck({
    verify: async (token) => {
      world.verifications += 1;
      const verified = await verify(token);
      world.whileVerifying();
      return verified;
    },
    keys: ring,
    revocations: world.revocations,
    findRole: (id) => world.roles.get(id),
    changes: world,
    now,
  });
  /** The caller, or the kind of the refusal. A refused request never has a caller. */
  const call = async (
    token: string | undefined,
    unauthenticatedLimit?: UnauthenticatedLimit<Identifiable>,
  ): Promise<Caller | string> => {
    const rawHeaders = token === undefined ? [] : ['Authorization', `Bearer ${token}`];
    const exchange: Identifiable = {
      carriers: { rawHeaders, query: '', cookie: undefined },
      caller: undefined,
    };
    try {
      await check(exchange, unauthenticatedLimit);
    } catch (error) {
      expect(exchange.caller).toBeUndefined();
      if (error instanceof AppError) return error.kind;
      throw error;
    }
    if (exchange.caller === undefined) throw new Error('It passed without a caller.');
    return exchange.caller;
  };
  return { world, check, call };
}

let { world, check, call } = createWorld();
beforeEach(() => {
  ({ world, check, call } = createWorld());
});

const caller = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  jti: goodClaims.jti,
  expiresAt: goodClaims.exp,
};

/** A change that the rest of the service makes: it comes with a new generation. */
const revised = (change: () => void) => () => {
  change();
  world.generation += 1;
};
const revoke = revised(() =>
  world.revocations.apply([{ kind: 'token_revoked', jti: goodClaims.jti, expiresAt: goodClaims.exp }], 1),
);
const raiseEpoch = revised(() => world.revocations.apply([{ kind: 'epoch_raised', userId: 7, epoch: 2 }], 1));
const setRole = (roleKey: string, dataScope: string) =>
  revised(() => world.roles.set(2, { roleKey, dataScope }));
const expire = () => {
  world.seconds = goodClaims.exp;
};

const changes: Record<string, [() => void, string]> = {
  'has expired': [expire, 'token_expired'],
  'was revoked': [revoke, 'token_revoked'],
  'carries an older epoch': [raiseEpoch, 'token_revoked'],
  'names a role that is gone or disabled': [revised(() => world.roles.delete(2)), 'token_revoked'],
  'names a role that has another key': [setRole('viewer', '3'), 'token_revoked'],
  'names a role that has another data scope': [setRole('editor', '5'), 'token_revoked'],
};

describe('a token is refused', () => {
  it('when it is missing', async () => {
    expect(await call(undefined)).toBe('token_missing');
  });

  it.each([
    ['nothing', ''],
    ['a word', 'x'],
    ['a token with more behind it', `${good}A`],
  ])('when it is %s, and verifies it again each time', async (_what, token) => {
    expect(await call(token)).toBe('token_malformed');
    expect(await call(token)).toBe('token_malformed');
    expect(world.verifications).toBe(2);
  });

  it.each(Object.entries(changes))(
    'the first time it is shown, when it %s',
    async (_what, [change, kind]) => {
      change();
      expect(await call(good)).toBe(kind);
    },
  );

  it.each(Object.entries(changes))('when it %s since the last call', async (_what, [change, kind]) => {
    expect(await call(good)).toEqual(caller);
    change();
    expect(await call(good)).toBe(kind);
    expect(await call(good)).toBe(kind);
    expect(world.verifications).toBe(1);
  });

  it.each(Object.entries(changes))('when it %s while it is being verified', async (_what, [change, kind]) => {
    world.whileVerifying = change;
    expect(await call(good)).toBe(kind);
  });

  it('when its key was unknown from the start', async () => {
    world.liveKeys = [];
    expect(await call(good)).toBe('token_malformed');
  });

  it('when its key was retired since the last call', async () => {
    expect(await call(good)).toEqual(caller);
    revised(() => {
      world.liveKeys = [];
    })();
    expect(await call(good)).toBe('token_revoked');
  });

  it('from the very second of its expiry on', async () => {
    await call(good);
    world.seconds = goodClaims.exp - 0.001;
    expect(await call(good)).toEqual(caller);
    world.seconds = goodClaims.exp;
    expect(await call(good)).toBe('token_expired');
  });

  it('when it is another text for a token that is known', async () => {
    await call(good);
    // The cache looks by the last eight characters: one before them finds the known token, one of them another place.
    for (const at of [-1, -9, -40, -good.length + 10]) {
      const place = good.length + at;
      const other = good[place] === 'B' ? 'C' : 'B';
      const changed = good.slice(0, place) + other + good.slice(place + 1);
      expect(await call(changed), `character ${at}`).toBe('token_malformed');
    }
    expect(await call(good)).toEqual(caller);
    expect(world.verifications).toBe(5);
  });
});

describe('a token is accepted', () => {
  it('and gives the caller', async () => {
    expect(await call(good)).toEqual(caller);
  });

  it('again without a second verification, and then without waiting', async () => {
    await call(good);
    const exchange: Identifiable = {
      carriers: { rawHeaders: [], query: `token=${good}`, cookie: undefined },
      caller: undefined,
    };
    expect(check(exchange)).toBeUndefined();
    expect(exchange.caller).toEqual(caller);
    expect(world.verifications).toBe(1);
  });

  it('when another user’s token was revoked', async () => {
    await call(good);
    world.generation += 1;
    world.revocations.apply(
      [{ kind: 'token_revoked', jti: 'BBBBBBBBBBBBBBBBBBBBBB', expiresAt: goodClaims.exp }],
      1,
    );
    world.revocations.apply([{ kind: 'epoch_raised', userId: 8, epoch: 9 }], 1);
    expect(await call(good)).toEqual(caller);
  });

  it('when it carries the raised epoch', async () => {
    raiseEpoch();
    expect(await call(keys.token(goodHeader, { ...goodClaims, ep: 2 }))).toEqual(caller);
    expect(await call(keys.token(goodHeader, { ...goodClaims, ep: 1 }))).toBe('token_revoked');
  });
});

it('marks the caller of a token that says that the password is due, and no other', async () => {
  const marked = keys.token(goodHeader, { ...goodClaims, due: true });
  expect(await call(marked)).toEqual({ ...caller, passwordDue: true });
  expect(await call(marked)).toEqual({ ...caller, passwordDue: true });
  expect(await call(good)).toEqual(caller);
});

describe('the rate limit of requests without a verified token', () => {
  function createUnauthenticatedLimit({ isSpent = false } = {}) {
    const charged: string[] = [];
    const unauthenticatedLimit: UnauthenticatedLimit<Identifiable> = {
      async verify(_request, verification) {
        if (isSpent) throw new AppError('rate_limited');
        charged.push('verification');
        return await verification();
      },
      anonymous() {
        charged.push('anonymous');
        if (isSpent) throw new AppError('rate_limited');
      },
    };
    return { unauthenticatedLimit, charged };
  }

  it('is asked before the signature is looked at', async () => {
    const { unauthenticatedLimit } = createUnauthenticatedLimit({ isSpent: true });
    expect(await call(good, unauthenticatedLimit)).toBe('rate_limited');
    expect(world.verifications).toBe(0);
  });

  it('is asked once: a cached token of a person passes although the limit is reached', async () => {
    const { unauthenticatedLimit, charged } = createUnauthenticatedLimit();
    expect(await call(good, unauthenticatedLimit)).toEqual(caller);
    expect(await call(good, createUnauthenticatedLimit({ isSpent: true }).unauthenticatedLimit)).toEqual(
      caller,
    );
    expect(charged).toEqual(['verification']);
  });

  it('is that of a verification where it is no token', async () => {
    const { unauthenticatedLimit, charged } = createUnauthenticatedLimit();
    expect(await call('x.y.z', unauthenticatedLimit)).toBe('token_malformed');
    expect(charged).toEqual(['verification']);
  });

  it('is that of an anonymous one without a token', async () => {
    const { unauthenticatedLimit, charged } = createUnauthenticatedLimit();
    expect(await call(undefined, unauthenticatedLimit)).toBe('token_missing');
    expect(charged).toEqual(['anonymous']);
    expect(await call(undefined, createUnauthenticatedLimit({ isSpent: true }).unauthenticatedLimit)).toBe(
      'rate_limited',
    );
  });

  it.each([
    ['has expired', 'token_expired', () => (world.seconds = goodClaims.exp)],
    [
      'was ended',
      'token_revoked',
      () => {
        world.roles.clear();
        world.generation += 1;
      },
    ],
  ])('is that of an anonymous one where the token %s, known or not', async (_how, kind, end) => {
    end();
    const { unauthenticatedLimit, charged } = createUnauthenticatedLimit();
    expect(await call(good, unauthenticatedLimit)).toBe(kind);
    expect(await call(good, unauthenticatedLimit)).toBe(kind);
    expect(charged).toEqual(['verification', 'anonymous', 'anonymous']);
  });
});
