import { AppError } from '@portcullis/contract';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { type Check, confirm, refuseUndeclaredRoutes, runChecks } from '../../src/http/access-guard.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { StartRefusal } from '../../src/start-refusal.ts';

const exchange = {} as Exchange;

/** Runs the checks and gives every call of `done`, after all that can still come has come. */
async function outcomesOf(checks: readonly Check[]): Promise<(Error | undefined)[]> {
  const outcomes: (Error | undefined)[] = [];
  runChecks(checks, exchange, (error) => outcomes.push(error));
  await new Promise(setImmediate);
  return outcomes;
}

const values: unknown[] = [
  null,
  false,
  true,
  0,
  1,
  Number.NaN,
  7n,
  '',
  'allow',
  'deny',
  'ok',
  Symbol('allow'),
  {},
  [],
  { allow: true },
  () => undefined,
  new Date(0),
  new Map(),
  new Error('returned'),
  new AppError('permission_denied'),
  // biome-ignore lint/suspicious/noThenProperty: A thenable is not our promise and counts as a value.
  { then: (resolve: (value: undefined) => void) => resolve(undefined) },
  Object.create(null),
  new Proxy({}, {}),
  /allow/,
  Buffer.from('allow'),
];
const thrown: unknown[] = [undefined, ...values, new TypeError('x is undefined'), new RangeError('stack')];

const promisable = values.filter((value) => !(value instanceof Object && 'then' in value));

const faults: Record<string, Check[]> = {
  throws: thrown.map((value) => () => {
    throw value;
  }),
  rejects: thrown.map((value) => () => Promise.reject(value)),
  'rejects later': thrown.map((value) => async () => {
    await Promise.resolve();
    throw value;
  }),
  'returns anything': values.map((value) => () => value as undefined),
  'promises anything': promisable.map((value) => () => Promise.resolve(value as undefined)),
};

describe('a check that fails', () => {
  it.each(Object.entries(faults))(
    'because it %s refuses the request once, wherever it stands',
    async (_how, checks) => {
      for (const fault of checks)
        for (const others of [[], [() => {}], [async () => {}]]) {
          const outcomes = await outcomesOf([...others, fault, ...others]);
          expect(outcomes).toEqual([expect.any(Error)]);
        }
    },
  );

  it.each(Object.entries(faults))(
    'because it %s keeps every later check from running',
    async (_how, checks) => {
      const ran: Check[] = [];
      for (const fault of checks) await outcomesOf([fault, () => void ran.push(fault)]);
      expect(ran).toEqual([]);
    },
  );

  it('on purpose keeps its own error', async () => {
    const error = new AppError('token_expired');
    const outcomes = [
      ...(await outcomesOf([
        () => {
          throw error;
        },
      ])),
      ...(await outcomesOf([() => Promise.reject(error)])),
    ];
    expect(outcomes).toEqual([error, error]);
    for (const outcome of outcomes) expect(outcome).toBe(error);
  });

  it('in any other way is an internal fault, not a refusal that a caller could mistake', async () => {
    for (const fault of [() => 'allow' as unknown as undefined, () => Promise.reject('no')])
      expect(await outcomesOf([fault])).toEqual([expect.objectContaining({ kind: 'internal' })]);
  });

  it('because it is missing refuses the request', async () => {
    const [outcome] = await outcomesOf([undefined as unknown as Check]);
    expect(outcome).toBeInstanceOf(Error);
  });
});

describe('checks that pass', () => {
  const waits: [string, () => void | Promise<void>][] = [
    ['at once', () => {}],
    ['later', async () => {}],
  ];
  it.each(waits)('%s run in their order, each after the one before has ended', async (_when, wait) => {
    const seen: string[] = [];
    const check =
      (name: string): Check =>
      () => {
        seen.push(`${name} starts`);
        const end = () => void seen.push(`${name} ends`);
        const ended = wait();
        return ended instanceof Promise ? ended.then(end) : end();
      };
    expect(await outcomesOf([check('limit'), check('identify'), check('permit')])).toEqual([undefined]);
    expect(seen).toEqual([
      'limit starts',
      'limit ends',
      'identify starts',
      'identify ends',
      'permit starts',
      'permit ends',
    ]);
  });

  it('at once stay in the same tick', () => {
    let outcome: unknown = 'none yet';
    runChecks([() => {}, () => {}], exchange, (error) => {
      outcome = error;
    });
    expect(outcome).toBeUndefined();
  });

  it('see one exchange', async () => {
    const seen: Exchange[] = [];
    const look: Check = (given) => void seen.push(given);
    await outcomesOf([look, async (given) => look(given), look]);
    expect(seen).toHaveLength(3);
    for (const given of seen) expect(given).toBe(exchange);
  });
});

describe('a route', () => {
  it.each([
    ['no config', undefined],
    ['no access', {}],
    ['an unknown access', { access: 'anyone' }],
    ['an access in capitals', { access: 'PUBLIC' }],
    ['a list as access', { access: ['public'] }],
    ['an access from a prototype', { access: 'constructor' }],
  ])('with %s stops the start and says what to do', (_what, config) => {
    const app = Fastify();
    refuseUndeclaredRoutes(app);
    const add = () =>
      app.route({
        method: 'GET',
        url: '/api/v1/x',
        handler: () => ({}),
        ...(config && { config: config as object }),
      });
    expect(add).toThrow(StartRefusal);
    expect(add).toThrow(
      'The route GET /api/v1/x declares no access. Declare it with defineEndpoint and an access of public, identity, permission.',
    );
  });

  it.each(['public', 'identity', 'permission'] as const)('with the access %s is added', (access) => {
    const app = Fastify({ exposeHeadRoutes: false });
    refuseUndeclaredRoutes(app);
    app.route({ method: 'GET', url: '/api/v1/x', handler: () => ({}), config: { access } });
    expect(app.hasRoute({ method: 'GET', url: '/api/v1/x' })).toBe(true);
  });
});

describe('just before the handler', () => {
  const again = { generation: 5, isLive: () => true };
  const begun = (decidedAt: number) => ({ decidedAt }) as Exchange;

  it('a request is refused without a lease, though nothing changed', () => {
    const outcomes: unknown[] = [];
    confirm([], begun(5), { ...again, isLive: () => false }, (error) => outcomes.push(error));
    expect(outcomes).toEqual([expect.objectContaining({ kind: 'unavailable' })]);
  });

  it('a request whose permission was taken away meanwhile is refused', () => {
    const outcomes: unknown[] = [];
    const deny = () => {
      throw new AppError('permission_denied');
    };
    confirm([deny], begun(4), again, (error) => outcomes.push(error));
    expect(outcomes).toEqual([expect.objectContaining({ kind: 'permission_denied' })]);
  });

  it('the checks are not run again when nothing changed', () => {
    let runs = 0;
    const outcomes: unknown[] = [];
    const count = () => {
      runs += 1;
    };
    confirm([count], begun(5), again, (error) => outcomes.push(error));
    expect([runs, outcomes]).toEqual([0, [undefined]]);
  });

  it('the checks are run until one state has answered all of them', async () => {
    const access = { generation: 5, isLive: () => true };
    const seen: string[] = [];
    const identify = async () => {
      seen.push(`who ${access.generation}`);
      await Promise.resolve();
      if (access.generation < 7) access.generation += 1;
    };
    const permit = () => void seen.push(`may ${access.generation}`);
    const error = await new Promise((resolve) => confirm([identify, permit], begun(4), access, resolve));
    expect(error).toBeUndefined();
    expect(seen).toEqual(['who 5', 'may 6', 'who 6', 'may 7', 'who 7', 'may 7']);
  });

  it('a lease that ended during the checks refuses the request', async () => {
    let isLive = true;
    const slow = async () => {
      isLive = false;
    };
    const error = await new Promise((resolve) =>
      confirm([slow], begun(4), { generation: 5, isLive: () => isLive }, resolve),
    );
    expect(error).toMatchObject({ kind: 'unavailable' });
  });
});
