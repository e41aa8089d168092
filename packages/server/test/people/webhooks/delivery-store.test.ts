import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findProblem,
  listDeliveries,
  replayDeliveries,
  skipDelivery,
} from '../../../src/people/webhooks/delivery-admin-store.ts';
import {
  LeaseLost,
  type Progress,
  storeProgress,
} from '../../../src/people/webhooks/delivery-progress-store.ts';
import {
  listDueDeliveries,
  listHeldObjects,
  readBacklog,
} from '../../../src/people/webhooks/delivery-store.ts';
import type { LogEvent } from '../../../src/people/webhooks/event.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { refusal, whileRefused } from '../../refuse-writes.ts';
import { insertWebhook, readWebhook, setWebhook } from './webhook-world.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());

const instance = randomUUID();
const nothing: Progress = {
  outcomes: [],
  passed: [],
  positions: [],
  delivered: 0,
  failed: 0,
  gone: 0,
  failuresInRow: 0,
  restSeconds: null,
  problem: undefined,
};

async function insertHeld(): Promise<number> {
  const id = await insertWebhook(database.store);
  await setWebhook(database.store, id, `held_by = '${instance}', held_until = now() + interval '1 minute'`);
  return id;
}

async function store(id: number, progress: Partial<Progress>, attempts = 3): Promise<void> {
  await storeProgress(database.store, { id, instance, attempts }, { ...nothing, ...progress });
}

let seq = 0;
function eventOf(object: string, log: LogEvent['log'] = 'audit'): LogEvent {
  seq += 1;
  const of = { log, object, type: 'user.update', chain: null, data: {} };
  return { ...of, id: randomUUID(), at: new Date(Date.UTC(2026, 0, 1, 0, 0, seq)), seq };
}

const deliveriesOf = async (id: number) =>
  (await listDeliveries(database.store, id, { after: undefined, limit: 100, state: undefined })).items;
const statesOf = async (id: number) =>
  (await deliveriesOf(id)).map(({ subject, state, attempts }) => [subject, state, attempts]);

/** A webhook with deliveries: each event with its problem, or undefined where it was not tried. */
async function insertWithLetters(passed: Progress['passed'], attempts?: number): Promise<number> {
  const id = await insertHeld();
  await store(id, { passed }, attempts);
  return id;
}
const failed = (object: string, log?: LogEvent['log']) => ({
  event: eventOf(object, log),
  problem: 'answered 500',
});
const untried = (object: string, log?: LogEvent['log']) => ({ event: eventOf(object, log) });

describe('an instance that lost its lock stores nothing', () => {
  it.each([
    ['because another instance has it', 'held_by = gen_random_uuid()'],
    ['because its lease ended', 'held_until = now()'],
    ['because it was released', 'held_by = null, held_until = null'],
  ])('%s', async (_name, assignments) => {
    const id = await insertWithLetters([failed('user 1')]);
    const [delivery] = (await listDueLettersOf(id, true)).flat();
    if (delivery === undefined) throw new Error('There is no letter.');
    await setWebhook(database.store, id, assignments);
    const before = await readWebhook(database.store, id);
    const progress = {
      outcomes: [{ delivery, what: 'delivered' as const }],
      passed: [untried('user 2')],
      places: [{ chain: randomUUID(), seq: 1, id: randomUUID() }],
      delivered: 1,
      auditSeq: before.audit_seq + 1,
    };
    await expect(store(id, progress)).rejects.toThrow(LeaseLost);
    expect(await readWebhook(database.store, id)).toEqual(before);
    expect(await statesOf(id)).toEqual([['user 1', 'retrying', 1]]);
    const places = sql`select from webhook_places where hook_id = ${id}`.execute(database.store);
    expect((await places).rows).toEqual([]);
  });
});

/** `isLater`: as if the pause of every delivery were over. */
async function listDueLettersOf(id: number, isLater = false) {
  if (isLater)
    await sql`update webhook_letters set next_at = now() where hook_id = ${id}`.execute(database.store);
  return await listDueDeliveries(database.store, id, { objects: 50, ofEach: 10 });
}

describe('due deliveries', () => {
  it('are those of the webhook whose pause is over, with what waits behind them', async () => {
    const id = await insertWithLetters([failed('user 1'), untried('user 1'), untried('user 2')]);
    const other = await insertWithLetters([untried('user 1'), untried('user 9')]);
    const objects = (lanes: { object: string }[][]) => lanes.map((lane) => lane.map(({ object }) => object));
    expect(objects(await listDueLettersOf(id))).toEqual([['user 2']]);
    expect(objects(await listDueLettersOf(id, true))).toEqual([['user 1', 'user 1'], ['user 2']]);
    expect(objects(await listDueLettersOf(other))).toEqual([['user 1'], ['user 9']]);
  });

  it('exclude those of an object whose first delivery is dead', async () => {
    const id = await insertWithLetters([failed('user 1'), untried('user 1')], 1);
    expect(await statesOf(id)).toEqual([
      ['user 1', 'dead', 1],
      ['user 1', 'waiting', 0],
    ]);
    expect(await listDueLettersOf(id, true)).toEqual([]);
  });

  it('keep an object of one log apart from that of the other log', async () => {
    const id = await insertWithLetters([failed('user 1'), untried('user 1', 'login')]);
    expect(await statesOf(id)).toEqual([
      ['user 1', 'retrying', 1],
      ['user 1', 'retrying', 0],
    ]);
    expect(await listDueLettersOf(id)).toMatchObject([[{ log: 'login' }]]);
    expect(await listHeldObjects(database.store, id, [eventOf('user 1'), eventOf('user 2')])).toEqual(
      new Set(['audit user 1']),
    );
  });
});

describe('after an attempt', () => {
  it('makes the next delivery of the object due when the first is delivered, or its record is deleted', async () => {
    for (const what of ['delivered', 'gone'] as const) {
      const id = await insertWithLetters([
        failed('user 1'),
        untried('user 1'),
        failed('user 2'),
        untried('user 2'),
      ]);
      const [[first]] = (await listDueLettersOf(id, true)) as [
        [NonNullable<Awaited<ReturnType<typeof listDueLettersOf>>[0]>[0]],
      ];
      await store(id, { outcomes: [{ delivery: first, what }] });
      expect(await statesOf(id)).toEqual([
        ['user 1', 'retrying', 0],
        ['user 2', 'retrying', 1],
        ['user 2', 'waiting', 0],
      ]);
    }
  });

  it('retries a delivery later, and marks it dead after the last attempt', async () => {
    const id = await insertWithLetters([failed('user 1'), untried('user 1')]);
    for (const [state, tries] of [
      ['retrying', 2],
      ['dead', 3],
    ] as const) {
      const [lane = []] = await listDueLettersOf(id, true);
      const [delivery] = lane;
      if (delivery === undefined) throw new Error('No letter is due.');
      await store(id, { outcomes: [{ delivery, what: 'failed', problem: `attempt ${tries}` }] });
      expect((await deliveriesOf(id))[0]).toMatchObject({
        state,
        attempts: tries,
        lastError: `attempt ${tries}`,
      });
      expect((await deliveriesOf(id))[1]).toMatchObject({ state: 'waiting' });
      expect(await listDueLettersOf(id)).toEqual([]);
    }
  });

  it('stores an event that is reported twice as one delivery', async () => {
    const passed = [failed('user 1')];
    const id = await insertWithLetters(passed);
    await store(id, { passed });
    expect(await deliveriesOf(id)).toHaveLength(1);
  });

  it('queues a new event after the deliveries of its object', async () => {
    const id = await insertWithLetters([failed('user 1')]);
    await store(id, { passed: [untried('user 1'), untried('user 2'), untried('user 2')] });
    expect(await statesOf(id)).toEqual([
      ['user 1', 'retrying', 1],
      ['user 1', 'waiting', 0],
      ['user 2', 'retrying', 0],
      ['user 2', 'waiting', 0],
    ]);
  });
});

describe('a replay', () => {
  const replay = (id: number, delivery?: number) =>
    database.store.transaction().execute((transaction) => replayDeliveries(transaction, id, delivery));

  it('is refused for a waiting delivery, and for one of another webhook', async () => {
    const id = await insertWithLetters([failed('user 1'), untried('user 1')], 1);
    const other = await insertHeld();
    const [first, second] = await deliveriesOf(id);
    await expect(replay(id, second?.id)).rejects.toThrow('record_not_found');
    await expect(replay(other, first?.id)).rejects.toThrow('record_not_found');
    expect(await statesOf(id)).toEqual([
      ['user 1', 'dead', 1],
      ['user 1', 'waiting', 0],
    ]);
  });

  it('takes only dead deliveries of the webhook, or the named one', async () => {
    const id = await insertWithLetters([failed('user 1'), untried('user 1')], 1);
    await store(id, { passed: [failed('user 2')] });
    const other = await insertWithLetters([failed('user 1')], 1);
    expect(await replay(id)).toBe(1);
    expect(await statesOf(id)).toEqual([
      ['user 1', 'retrying', 0],
      ['user 1', 'waiting', 0],
      ['user 2', 'retrying', 1],
    ]);
    expect(await statesOf(other)).toEqual([['user 1', 'dead', 1]]);
    expect(await replay(id, (await deliveriesOf(id))[2]?.id)).toBe(1);
    expect((await statesOf(id))[2]).toEqual(['user 2', 'retrying', 0]);
  });
});

describe('a skip', () => {
  const skip = (id: number, delivery = 0) =>
    database.store.transaction().execute((transaction) => skipDelivery(transaction, id, delivery));

  it('is refused for a delivery of another webhook', async () => {
    const id = await insertWithLetters([failed('user 1')], 1);
    const [first] = await deliveriesOf(id);
    await expect(skip(await insertHeld(), first?.id)).rejects.toThrow('record_not_found');
    expect(await deliveriesOf(id)).toHaveLength(1);
  });

  it('is counted, and makes the next delivery of the object due', async () => {
    const id = await insertWithLetters([failed('user 1'), untried('user 1'), untried('user 1')], 1);
    const [first] = await deliveriesOf(id);
    expect(await skip(id, first?.id)).toMatchObject({ subject: 'user 1', state: 'dead' });
    expect((await readWebhook(database.store, id)).skipped).toBe(1);
    expect(await statesOf(id)).toEqual([
      ['user 1', 'retrying', 0],
      ['user 1', 'waiting', 0],
    ]);
  });

  it('of a waiting delivery leaves the one before it dead', async () => {
    const id = await insertWithLetters([failed('user 1'), untried('user 1'), untried('user 1')], 1);
    await skip(id, (await deliveriesOf(id))[1]?.id);
    expect(await statesOf(id)).toEqual([
      ['user 1', 'dead', 1],
      ['user 1', 'waiting', 0],
    ]);
  });
});

it('returns a page of the deliveries of a webhook in the requested state', async () => {
  const id = await insertWithLetters([failed('user 1'), untried('user 1')], 1);
  await insertWithLetters([failed('user 1')], 1);
  const page = (query: { after?: string; state?: 'dead' }) =>
    listDeliveries(database.store, id, { after: undefined, state: undefined, limit: 1, ...query });
  expect(await page({ state: 'dead' })).toMatchObject({ items: [{ state: 'dead' }], next: null });
  const { items, next } = await page({});
  expect(items).toMatchObject([{ state: 'dead', nextAttemptAt: null }]);
  expect(await page({ after: String(next) })).toMatchObject({ items: [{ state: 'waiting' }], next: null });
});

it('counts dead deliveries in the backlog, with the age of the oldest delivery to retry', async () => {
  const [first, second, third] = [failed('user 1'), failed('user 2'), untried('user 2')];
  const id = await insertWithLetters([first], 1);
  await store(id, { passed: [second, third] });
  await insertWithLetters([failed('user 3')], 1);
  expect(await readBacklog(database.store, id)).toEqual({ dead: 1, oldestAt: second.event.at });
});

it('blocks an object in the log of its delivery, for the webhook of the delivery', async () => {
  const id = await insertWithLetters([failed('user 51'), failed('user 52', 'login')]);
  const other = await insertHeld();
  const asked = [
    eventOf('user 51'),
    eventOf('user 51', 'login'),
    eventOf('user 52'),
    eventOf('user 52', 'login'),
    eventOf('user 53'),
  ];
  expect(await listHeldObjects(database.store, id, asked)).toEqual(
    new Set(['audit user 51', 'login user 52']),
  );
  expect(await listHeldObjects(database.store, other, asked)).toEqual(new Set());
});

describe('the progress of a webhook', () => {
  const chain = randomUUID();

  it('is stored for that webhook alone, and replaced each time', async () => {
    const [id, other] = [await insertHeld(), await insertHeld()];
    const before = await readWebhook(database.store, other);
    for (const at of [3, 4]) {
      const positions = [{ chain, seq: at, id: randomUUID() }];
      await store(id, {
        delivered: 2,
        failed: 1,
        gone: 5,
        auditSeq: at,
        positions,
        problem: 'answered 500',
        restSeconds: 60,
      });
    }
    expect(await readWebhook(database.store, id)).toMatchObject({
      ...{ delivered: 4, failed: 2, gone: 10, audit_seq: 4, problem: 'answered 500' },
      ...{ rest_until: expect.any(Date), delivered_at: expect.any(Date) },
    });
    expect(await readWebhook(database.store, other)).toEqual(before);
    const { rows } = await sql`select chain, seq from webhook_places where hook_id = ${id}`.execute(
      database.store,
    );
    expect(rows).toEqual([{ chain, seq: 4 }]);
  });

  it('of nothing keeps what was there', async () => {
    const id = await insertHeld();
    await setWebhook(database.store, id, `problem = 'answered 500', audit_seq = 3`);
    await store(id, {});
    expect(await readWebhook(database.store, id)).toMatchObject({
      ...{ problem: 'answered 500', audit_seq: 3, delivered_at: null, rest_until: null },
    });
  });

  it.each<[writes: string, what: 'delivered' | 'failed']>([
    ['update on webhooks', 'delivered'],
    ['delete on webhook_letters', 'delivered'],
    ['update on webhook_letters', 'failed'],
    ['update on webhook_letters', 'delivered'],
    ['insert on webhook_letters', 'delivered'],
    ['insert on webhook_places', 'delivered'],
  ])(
    'is not stored at all where the database refuses an %s after a delivery was %s',
    async (writes, what) => {
      const id = await insertWithLetters([failed('user 1'), untried('user 1')]);
      const [[delivery] = []] = await listDueLettersOf(id, true);
      if (delivery === undefined) throw new Error('No letter is due.');
      const [before, states] = [await readWebhook(database.store, id), await statesOf(id)];
      const progress: Partial<Progress> = {
        outcomes: [{ delivery, what }],
        passed: [untried('user 2')],
        positions: [{ chain, seq: 1, id: randomUUID() }],
        delivered: 1,
      };
      await expect(whileRefused(database.store, writes, () => store(id, progress))).rejects.toThrow(refusal);
      expect([await readWebhook(database.store, id), await statesOf(id)]).toEqual([before, states]);
      await store(id, progress);
      expect((await readWebhook(database.store, id)).delivered).toBe(1);
    },
  );
});

describe('the deliveries of other webhooks', () => {
  it('stay unchanged when deliveries are tried, replayed and skipped', async () => {
    const other = await insertWithLetters([failed('user 1'), untried('user 1')], 1);
    const id = await insertWithLetters([failed('user 1'), untried('user 1')], 1);
    const states = await statesOf(other);
    const replayed = (delivery?: number) =>
      database.store.transaction().execute((transaction) => replayDeliveries(transaction, id, delivery));
    expect([await replayed(), await replayed()]).toEqual([1, 0]);
    const [[delivery] = []] = await listDueLettersOf(id);
    if (delivery === undefined) throw new Error('No letter is due.');
    await store(id, { outcomes: [{ delivery, what: 'delivered' }] });
    expect(await statesOf(id)).toEqual([['user 1', 'retrying', 0]]);
    const [last] = await deliveriesOf(id);
    await database.store.transaction().execute((transaction) => skipDelivery(transaction, id, last?.id ?? 0));
    expect([await statesOf(id), await statesOf(other)]).toEqual([[], states]);
    expect((await readWebhook(database.store, other)).skipped).toBe(0);
  });

  it.each(['update on webhooks', 'update on webhook_letters'])(
    'a skip is not stored where the database refuses an %s',
    async (writes) => {
      const id = await insertWithLetters([failed('user 1'), untried('user 1')], 1);
      const [first] = await deliveriesOf(id);
      const skip = () =>
        database.store.transaction().execute((transaction) => skipDelivery(transaction, id, first?.id ?? 0));
      await expect(whileRefused(database.store, writes, skip)).rejects.toThrow(refusal);
      expect(await deliveriesOf(id)).toHaveLength(2);
    },
  );

  it('of another log with the same object wait as they did', async () => {
    const id = await insertWithLetters([
      failed('user 1', 'login'),
      untried('user 1', 'login'),
      failed('user 1'),
      untried('user 1'),
    ]);
    const lanes = await listDueLettersOf(id, true);
    const delivery = lanes.flat().find(({ log }) => log === 'audit');
    if (delivery === undefined) throw new Error('No letter is due.');
    await store(id, { outcomes: [{ delivery, what: 'delivered' }] });
    expect((await deliveriesOf(id)).map(({ log, state }) => [log, state])).toEqual([
      ['login', 'retrying'],
      ['login', 'waiting'],
      ['audit', 'retrying'],
    ]);
  });
});

describe('the problem of an event', () => {
  const test = { type: 'webhook.test', object: 'webhook 1' };
  const problemOf = (id: number) => findProblem(database.store, id, test);
  const insert = (webhookId: number, log: string, kind: string, object: string, problem: string | null) =>
    sql`insert into webhook_letters (hook_id, log, record_id, kind, object, recorded_at, state, problem)
      values (${webhookId}, ${log}, gen_random_uuid(), ${kind}, ${object}, now(), 'waiting', ${problem})`.execute(
      database.store,
    );

  it('is undefined where its webhook has no delivery of its type, its object and the audit log', async () => {
    const [id, other] = [await insertHeld(), await insertHeld()];
    await insert(other, 'audit', test.type, test.object, 'of another webhook');
    await insert(id, 'login', test.type, test.object, 'of another log');
    await insert(id, 'audit', test.type, 'webhook 2', 'of another object');
    await insert(id, 'audit', 'webhook.update', test.object, 'of another type');
    expect(await problemOf(id)).toBeNull();
  });

  it('is its own, or that of the one before it, or that it was not tried', async () => {
    const [own, behind, untriedOne] = [await insertHeld(), await insertHeld(), await insertHeld()];
    for (const id of [own, behind]) await insert(id, 'audit', 'webhook.update', test.object, 'before it');
    await insert(own, 'audit', test.type, test.object, 'its own');
    for (const id of [behind, untriedOne]) await insert(id, 'audit', test.type, test.object, null);
    expect([await problemOf(own), await problemOf(behind), await problemOf(untriedOne)]).toEqual([
      'its own',
      'before it',
      'not attempted yet',
    ]);
  });
});
