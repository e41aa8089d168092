import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import { postMilliseconds } from '../../../src/people/webhooks/send-event.ts';
import { createWebhookLease, type WebhookLease } from '../../../src/people/webhooks/webhook-lease.ts';
import {
  isRevisionInForce,
  leaseMilliseconds,
  renewWebhookLease,
} from '../../../src/people/webhooks/webhook-lease-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { insertWebhook, readWebhook, setWebhook } from './webhook-world.ts';

let database: FreshDatabase;
let clock = 0;
const holds: WebhookLease[] = [];

beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
afterEach(async () => {
  for (const hold of holds.splice(0)) await hold.end();
  clock = 0;
});

async function hold(id: number, instance: string = randomUUID()): Promise<WebhookLease | undefined> {
  const held = await createWebhookLease({ store: database.store, instance, monotonic: () => clock }, id);
  if (held !== undefined) holds.push(held);
  return held;
}

async function expectHold(id: number, instance?: string): Promise<WebhookLease> {
  const held = await hold(id, instance);
  if (held === undefined) throw new Error('The webhook is held by another instance.');
  return held;
}

describe('no hold is given', () => {
  it.each([
    ['of a disabled webhook', 'enabled = false'],
    ['of an ended webhook', 'ended_at = now()'],
    [
      'while another instance holds the webhook',
      `held_by = gen_random_uuid(), held_until = now() + interval '1 minute'`,
    ],
  ])('%s', async (_name, assignments) => {
    const id = await insertWebhook(database.store);
    expect(await hold(id)).toBeDefined();
    const other = await insertWebhook(database.store);
    await setWebhook(database.store, other, assignments);
    expect(await hold(other)).toBeUndefined();
  });
});

it('the lease of another instance ends by the clock of the database', async () => {
  const id = await insertWebhook(database.store);
  await setWebhook(database.store, id, 'held_by = gen_random_uuid(), held_until = now()');
  expect(await hold(id)).toBeDefined();
});

describe('no attempt begins', () => {
  it('that could outlast the lease', async () => {
    const held = await expectHold(await insertWebhook(database.store));
    clock = leaseMilliseconds - postMilliseconds - 1001;
    expect(held.mayBegin()).toBe(true);
    clock += 1;
    expect(held.mayBegin()).toBe(false);
  });

  it('after the end of the previous secret', async () => {
    const id = await insertWebhook(database.store, { sealed_previous: Buffer.alloc(1) });
    await setWebhook(database.store, id, `previous_until = now() + interval '2 seconds'`);
    const held = await expectHold(id);
    const left = held.webhook.previousMilliseconds ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(2000);
    expect(held.mayBegin()).toBe(true);
    clock = 2000;
    failIfAttackSucceeded(held.mayBegin(), 'the previous secret signs after its end');
  });

  it('once a renewal shows that the webhook was changed', async () => {
    const id = await insertWebhook(database.store);
    const held = await expectHold(id);
    await setWebhook(database.store, id, 'revision = revision + 1');
    await expect.poll(held.mayBegin, { timeout: 10_000 }).toBe(false);
  });
});

describe('a lease is not renewed', () => {
  it.each([
    ['of a webhook that was changed', 'revision = revision + 1'],
    ['of a webhook that another instance took', 'held_by = gen_random_uuid()'],
    ['that has ended', 'held_until = now()'],
  ])('%s', async (_name, assignments) => {
    const { store } = database;
    const instance = randomUUID();
    const { webhook } = await expectHold(await insertWebhook(store), instance);
    expect(await renewWebhookLease(store, webhook, instance)).toBe(true);
    await setWebhook(store, webhook.id, assignments);
    const { held_until: until } = await readWebhook(store, webhook.id);
    expect(await renewWebhookLease(store, webhook, instance)).toBe(false);
    expect((await readWebhook(store, webhook.id)).held_until).toEqual(until);
  });
});

it('a previous secret that has ended limits nothing', async () => {
  const id = await insertWebhook(database.store, {
    sealed_previous: Buffer.alloc(1),
    previous_until: new Date(0),
  });
  const held = await expectHold(id);
  failIfAttackSucceeded((held.webhook.previousMilliseconds ?? 0) > 0, 'the previous secret has not ended');
  expect(held.webhook.previousMilliseconds).toBeNull();
  expect(held.mayBegin()).toBe(true);
});

it('a renewal keeps the lease, from before its statement', async () => {
  const held = await expectHold(await insertWebhook(database.store));
  clock = leaseMilliseconds;
  expect(held.mayBegin()).toBe(false);
  await expect.poll(held.mayBegin, { timeout: 10_000 }).toBe(true);
  clock += leaseMilliseconds - postMilliseconds - 1000;
  expect(held.mayBegin()).toBe(false);
});

it('the end of a hold frees the webhook for others, and leaves the hold of another instance', async () => {
  const { store } = database;
  const id = await insertWebhook(store);
  const held = await expectHold(id);
  const { revision } = held.webhook;
  expect(await isRevisionInForce(store, id, revision + 1)).toBe(false);
  expect(await isRevisionInForce(store, id, revision)).toBe(true);
  await held.end();
  expect(await isRevisionInForce(store, id, revision + 1)).toBe(true);
  const other = randomUUID();
  await expectHold(id, other);
  await held.end();
  expect((await readWebhook(store, id)).held_by).toBe(other);
});

it('the end of a hold waits until the webhook is free', async () => {
  const { store } = database;
  const id = await insertWebhook(store);
  const held = await expectHold(id);
  const order: string[] = [];
  let ended: Promise<unknown> = Promise.resolve();
  await store.transaction().execute(async (transaction) => {
    await sql`select from webhooks where id = ${id} for update`.execute(transaction);
    ended = held.end().then(() => order.push('ended'));
    await expect
      .poll(
        async () =>
          (
            await sql`select from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`.execute(store)
          ).rows.length,
      )
      .toBe(1);
    order.push('freed');
  });
  await ended;
  expect(order).toEqual(['freed', 'ended']);
});
