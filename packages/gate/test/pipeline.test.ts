import { AppError } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import type { CurrentAccess } from '../src/access/current-access.ts';
import {
  type AnyRequest,
  type Check,
  confirm,
  createDecisionPipeline,
  createPipeline,
  reportOutcome,
  runChecks,
  runStages,
} from '../src/pipeline.ts';

const same = (checks: readonly unknown[], expected: readonly unknown[]) =>
  checks.length === expected.length && checks.every((check, index) => check === expected[index]);

it('runs rate limit without a caller, lease, identity, limit of the caller, CSRF, password due and permission, as far as the access requires them, and repeats the checks that read access state', () => {
  const limit = () => {};
  const leased = () => {};
  const identify = () => {};
  const limitCaller = () => {};
  const site = () => {};
  const passwordDue = () => {};
  const permit = () => {};
  const pipeline = createPipeline({ limit, leased, identify, limitCaller, site, passwordDue, permit });
  expect(Object.keys(pipeline).toSorted()).toEqual(['identity', 'permission', 'public']);
  expect(same(pipeline.public.first, [limit])).toBe(true);
  expect(same(pipeline.public.again, [])).toBe(true);
  expect(same(pipeline.identity.first, [leased, identify, limitCaller, site, passwordDue])).toBe(true);
  expect(same(pipeline.identity.again, [leased, identify])).toBe(true);
  const all = [leased, identify, limitCaller, site, passwordDue, permit];
  expect(same(pipeline.permission.first, all)).toBe(true);
  expect(same(pipeline.permission.again, [leased, identify, permit])).toBe(true);
});

it('decides for others by lease, canonical target, identity, site, password due and permission, or without a token by what is named', () => {
  const [leased, canonical, identify] = [() => {}, () => {}, () => {}];
  const [site, passwordDue, permit] = [() => {}, () => {}, () => {}];
  const pipeline = createDecisionPipeline({ leased, canonical, identify, site, passwordDue, permit });
  expect(Object.keys(pipeline).toSorted()).toEqual(['asked', 'named']);
  expect(same(pipeline.asked.first, [leased, canonical, identify, site, passwordDue, permit])).toBe(true);
  expect(same(pipeline.asked.again, [leased, identify, permit])).toBe(true);
  expect(same(pipeline.named.first, [leased, canonical, passwordDue, permit])).toBe(true);
  expect(same(pipeline.named.again, [leased, permit])).toBe(true);
});

const exchange = {} as AnyRequest;

/** Runs the checks and gives every call of `done`, after all that can still come has come. */
async function outcomesOf(checks: readonly Check[]): Promise<(Error | undefined)[]> {
  const outcomes: (Error | undefined)[] = [];
  reportOutcome(
    (given) => runChecks(checks, given),
    exchange,
    (error) => outcomes.push(error),
  );
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
  it.each(waits)('run %s in their order, each after the end of the previous one', async (_when, wait) => {
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
    reportOutcome(
      (given) => runChecks([() => {}, () => {}], given),
      exchange,
      (error) => {
        outcome = error;
      },
    );
    expect(outcome).toBeUndefined();
  });

  it('see one exchange', async () => {
    const seen: AnyRequest[] = [];
    const look: Check = (given) => void seen.push(given);
    await outcomesOf([look, async (given) => look(given), look]);
    expect(seen).toHaveLength(3);
    for (const given of seen) expect(given).toBe(exchange);
  });
});

describe('just before the handler', () => {
  const again = { revision: { n: 1, mark: '' }, generation: 5, isLive: () => true };
  const begun = (decidedAt: number) => ({ decidedAt });
  const confirmed = (
    checks: readonly Check<{ decidedAt: number }>[],
    request: { decidedAt: number },
    current: CurrentAccess,
    done: (error?: Error) => void,
  ) => reportOutcome((given) => confirm(checks, given, current), request, done);

  it('a request is refused without a lease, though nothing changed', () => {
    const outcomes: unknown[] = [];
    confirmed([], begun(5), { ...again, isLive: () => false }, (error) => outcomes.push(error));
    expect(outcomes).toEqual([expect.objectContaining({ kind: 'unavailable' })]);
  });

  it('a request whose permission was taken away meanwhile is refused', () => {
    const outcomes: unknown[] = [];
    const deny = () => {
      throw new AppError('permission_denied');
    };
    confirmed([deny], begun(4), again, (error) => outcomes.push(error));
    expect(outcomes).toEqual([expect.objectContaining({ kind: 'permission_denied' })]);
  });

  it('the checks are not run again when nothing changed', () => {
    let runs = 0;
    const outcomes: unknown[] = [];
    const count = () => {
      runs += 1;
    };
    confirmed([count], begun(5), again, (error) => outcomes.push(error));
    expect([runs, outcomes]).toEqual([0, [undefined]]);
  });

  it('the checks are run until one state has answered all of them', async () => {
    const access = { revision: { n: 1, mark: '' }, generation: 5, isLive: () => true };
    const seen: string[] = [];
    const identify = async () => {
      seen.push(`who ${access.generation}`);
      await Promise.resolve();
      if (access.generation < 7) access.generation += 1;
    };
    const permit = () => void seen.push(`may ${access.generation}`);
    const error = await new Promise((resolve) => confirmed([identify, permit], begun(4), access, resolve));
    expect(error).toBeUndefined();
    expect(seen).toEqual(['who 5', 'may 6', 'who 6', 'may 7', 'who 7', 'may 7']);
  });

  it('a lease that ended during the checks refuses the request', async () => {
    let isLive = true;
    const slow = async () => {
      isLive = false;
    };
    const error = await new Promise((resolve) =>
      confirmed(
        [slow],
        begun(4),
        { revision: { n: 1, mark: '' }, generation: 5, isLive: () => isLive },
        resolve,
      ),
    );
    expect(error).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a whole decision', () => {
  type Request = { decidedAt: number };
  const later = () => new Promise<void>((resolve) => void setImmediate(resolve));
  const isLive = () => true;
  const refuse = (kind: 'permission_denied' | 'token_revoked') => () => {
    throw new AppError(kind);
  };

  it('is refused by a first check, and then nothing is confirmed', async () => {
    const ran: string[] = [];
    const again = [() => void ran.push('again')];
    const access = { revision: { n: 1, mark: '' }, generation: 1, isLive };
    const request = { decidedAt: -1 };
    expect(() => runStages({ first: [refuse('token_revoked')], again }, request, access)).toThrow(
      expect.objectContaining({ kind: 'token_revoked' }),
    );
    const waits = [later, refuse('token_revoked')];
    await expect(runStages({ first: waits, again }, request, access)).rejects.toMatchObject({
      kind: 'token_revoked',
    });
    expect(ran).toEqual([]);
  });

  it('is taken again where access changed while a check waited', async () => {
    const access = { revision: { n: 1, mark: '' }, generation: 1, isLive };
    const first = [
      async () => {
        await later();
        access.generation += 1;
      },
    ];
    const stages = { first, again: [refuse('permission_denied')] };
    await expect(runStages<Request>(stages, { decidedAt: -1 }, access)).rejects.toMatchObject({
      kind: 'permission_denied',
    });
  });

  it('is refused where the lease ended meanwhile, at once and after a wait', async () => {
    const access = { revision: { n: 1, mark: '' }, generation: 1, isLive: () => false };
    const request = { decidedAt: -1 };
    const unavailable = expect.objectContaining({ kind: 'unavailable' });
    expect(() => runStages({ first: [], again: [] }, request, access)).toThrow(unavailable);
    await expect(runStages({ first: [later], again: [] }, request, access)).rejects.toEqual(unavailable);
  });

  it('returns at once and without a promise when no check waits', () => {
    const ran: string[] = [];
    const stages = { first: [() => void ran.push('first')], again: [() => void ran.push('again')] };
    expect(
      runStages<Request>(stages, { decidedAt: -1 }, { revision: { n: 1, mark: '' }, generation: 1, isLive }),
    ).toBeUndefined();
    expect(ran).toEqual(['first']);
  });
});
