// Changes of webhooks that nothing delivers: what another instance would do is written into the database.
import { randomBytes } from 'node:crypto';
import { AppError, mostWebhooks } from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAllowedAddresses } from '../../../src/base/outbound/allowed-addresses.ts';
import { createSealedSecrets } from '../../../src/base/secrets/sealed-secrets.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { webhookRoutes } from '../../../src/people/webhooks/routes.ts';
import { deleteEndedWebhooks } from '../../../src/people/webhooks/webhook-store.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { refusal, whileRefused } from '../../refuse-writes.ts';
import { type ServedRoutes, serveRoutes } from '../../serve-routes.ts';
import { insertWebhook, readWebhook, setWebhook } from './webhook-world.ts';

let database: FreshDatabase;
let served: ServedRoutes;
let mayReach = true;
beforeAll(async () => {
  database = await createFreshDatabase();
  served = serve();
});

function serve(change: Partial<Parameters<typeof webhookRoutes>[0]> = {}): ServedRoutes {
  const { store } = database;
  return serveRoutes(
    webhookRoutes({
      store,
      access: createAccessStandIn(store),
      recordChange: createRecordChange(),
      secrets: createSealedSecrets('webhook', [randomBytes(32)]),
      addresses: createAllowedAddresses({ allowedNetworks: [] }),
      randomBytes,
      canManage: {
        ofEverybody() {
          if (!mayReach) throw new AppError('exceeds_own_permissions');
        },
      },
      loginEvents: true,
      ...change,
    }),
  );
}
afterEach(async () => {
  mayReach = true;
  await sql`delete from webhooks`.execute(database.store);
});
afterAll(async () => {
  expect(served.faults).toEqual([]);
  await served.close();
  await database.drop();
});

const insert = (change?: Readonly<Record<string, unknown>>) => insertWebhook(database.store, change);
const url = 'https://siem.example.com/';

/** A dead one, of a test of the webhook. */
async function insertLetter(webhookId: number, problem = 'answered 500'): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    insert into webhook_letters (hook_id, log, record_id, kind, object, recorded_at, state, problem)
    values (${webhookId}, 'audit', gen_random_uuid(), 'webhook.test', ${`webhook ${webhookId}`}, now(), 'dead', ${problem})
    returning n`.execute(database.store);
  return rows[0]?.n ?? 0;
}

describe('a change is refused', () => {
  it('of a webhook that was ended', async () => {
    const id = await insert();
    const delivery = await insertLetter(id);
    await setWebhook(database.store, id, `ended_at = now(), held_until = now() + interval '1 hour'`);
    const before = await readWebhook(database.store, id);
    const codes = [
      await served.send('PUT', `/webhooks/${id}`, { name: 'x' }),
      await served.send('POST', `/webhooks/${id}/test`),
      await served.send('POST', `/webhooks/${id}/replay`, {}),
      await served.send('POST', `/webhooks/${id}/skip`, { deliveryId: delivery }),
      await served.send('DELETE', `/webhooks/${id}`),
    ].map(({ code }) => code);
    expect(codes).toEqual([404, 404, 404, 404, 404]);
    expect(await readWebhook(database.store, id)).toEqual(before);
  });

  it('that finishes a rotation which was not begun', async () => {
    const id = await insert();
    expect((await served.send('PUT', `/webhooks/${id}`, { secret: 'finish' })).code).toBe(409);
  });

  it('that tests a disabled webhook', async () => {
    const id = await insert({ enabled: false });
    expect((await served.send('POST', `/webhooks/${id}/test`)).code).toBe(409);
  });

  it('that adds more webhooks than there may be', async () => {
    for (let n = 1; n < mostWebhooks; n += 1) await insert();
    expect((await served.send('POST', '/webhooks', { name: 'last', url })).code).toBe(200);
    expect((await served.send('POST', '/webhooks', { name: 'more', url })).code).toBe(409);
  });

  it('of a caller who cannot manage all users, as is every read of webhooks', async () => {
    const id = await insert();
    mayReach = false;
    const refused = [
      await served.send('GET', '/webhooks'),
      await served.send('POST', '/webhooks', { name: 'x', url }),
      await served.send('PUT', `/webhooks/${id}`, { name: 'x' }),
      await served.send('POST', `/webhooks/${id}/test`),
      await served.send('GET', `/webhooks/${id}/deliveries`),
      await served.send('POST', `/webhooks/${id}/replay`, {}),
      await served.send('POST', `/webhooks/${id}/skip`, { deliveryId: 1 }),
      await served.send('DELETE', `/webhooks/${id}`),
    ];
    expect(new Set(refused.map(({ code, reason }) => `${code} ${reason}`)).size).toBe(1);
    expect(refused[0]?.code).not.toBe(200);
  });
});

it('a change ends the rest of a webhook', async () => {
  const id = await insert({ failures_in_row: 7, rest_until: new Date(Date.now() + 3_600_000) });
  expect((await served.send('PUT', `/webhooks/${id}`, { name: 'other' })).code).toBe(200);
  expect(await readWebhook(database.store, id)).toMatchObject({
    ...{ name: 'other', failures_in_row: 0, rest_until: null, revision: 2 },
  });
});

describe('while another instance delivers with the previous settings', () => {
  const holdFor = (id: number) =>
    setWebhook(
      database.store,
      id,
      `held_by = gen_random_uuid(), held_revision = 1, held_until = now() + interval '1.5 seconds'`,
    );

  it('a change does not return', async () => {
    const id = await insert();
    await holdFor(id);
    expect((await served.send('PUT', `/webhooks/${id}`, { enabled: false })).code).toBe(200);
    const { rows } = await sql`select from webhooks where held_until > now()`.execute(database.store);
    expect(rows).toEqual([]);
  });

  it('the end of a webhook does not return, and leaves nothing when it does', async () => {
    const id = await insert();
    await holdFor(id);
    expect((await served.send('DELETE', `/webhooks/${id}`)).code).toBe(200);
    expect(await database.store.selectFrom('webhooks').select('id').execute()).toEqual([]);
  });

  it('deletes an ended webhook with many deliveries step by step', async () => {
    const id = await insert();
    await setWebhook(database.store, id, 'ended_at = now()');
    await sql`
      insert into webhook_letters (hook_id, log, record_id, kind, object, recorded_at, state)
      select ${id}, 'audit', gen_random_uuid(), 'user.create', 'user 1', now(), 'waiting' from generate_series(1, 3)`.execute(
      database.store,
    );
    const left = async () => {
      const { rows } = await sql<{ hooks: number; letters: number }>`
        select (select count(*)::int from webhooks) as hooks, (select count(*)::int from webhook_letters) as letters`.execute(
        database.store,
      );
      return rows[0];
    };
    await deleteEndedWebhooks(database.store, 2);
    expect(await left()).toEqual({ hooks: 1, letters: 1 });
    await deleteEndedWebhooks(database.store, 2);
    expect(await left()).toEqual({ hooks: 0, letters: 0 });
  });

  it('an ended webhook is not deleted by the end of another one', async () => {
    const [held, other] = [await insert(), await insert()];
    await setWebhook(database.store, held, `ended_at = now(), held_until = now() + interval '1 hour'`);
    expect((await served.send('DELETE', `/webhooks/${other}`)).code).toBe(200);
    expect(await database.store.selectFrom('webhooks').select('id').execute()).toEqual([{ id: held }]);
  });
});

describe('a call', () => {
  type Change = [
    action: string,
    method: 'POST' | 'PUT' | 'DELETE',
    path: (id: number) => string,
    body?: object,
  ];
  const changes: Change[] = [
    ['create', 'POST', () => '/webhooks', { name: 'x', url }],
    ['update', 'PUT', (id) => `/webhooks/${id}`, { name: 'other' }],
    ['test', 'POST', (id) => `/webhooks/${id}/test`],
    ['replay', 'POST', (id) => `/webhooks/${id}/replay`, {}],
    ['skip', 'POST', (id) => `/webhooks/${id}/skip`],
    ['end', 'DELETE', (id) => `/webhooks/${id}`],
  ];

  /** As if an instance had told the webhook everything, so that a test is over at once. */
  async function insertTold() {
    const id = await insert({ audit_seq: 1_000_000_000 });
    return { id, delivery: await insertLetter(id) };
  }
  const readAll = async () => [
    (await sql`select * from webhooks order by id`.execute(database.store)).rows,
    (await sql`select * from webhook_letters order by n`.execute(database.store)).rows,
  ];
  const send = (
    by: ServedRoutes,
    [action, method, path, body]: Change,
    { id, delivery }: { id: number; delivery: number },
  ) => by.send(method, path(id), action === 'skip' ? { deliveryId: delivery } : body);

  it.each(changes)(
    'that is to %s a webhook changes nothing where it may not be written',
    async (...change) => {
      const refusing = serve({
        access: {
          ...createAccessStandIn(database.store),
          give: () => Promise.reject(new AppError('conflict')),
        },
      });
      const told = await insertTold();
      const before = await readAll();
      expect((await send(refusing, change, told)).code).toBe(409);
      expect(await readAll()).toEqual(before);
      await refusing.close();
    },
  );

  it.each(changes)(
    'that is to %s a webhook changes nothing where it cannot be recorded',
    async (...change) => {
      const fault = new Error('no record');
      const refusing = serve({ recordChange: () => Promise.reject(fault) });
      const told = await insertTold();
      const before = await readAll();
      expect((await send(refusing, change, told)).code).toBe(500);
      expect([await readAll(), refusing.faults]).toEqual([before, [fault]]);
      await refusing.close();
    },
  );

  it.each(changes)('that is to %s a webhook is recorded', async (...change) => {
    await database.store.deleteFrom('audit_log').execute();
    const told = await insertTold();
    expect((await send(served, change, told)).code).toBe(200);
    const records = await database.store.selectFrom('audit_log').select(['action', 'target']).execute();
    const target = change[0] === 'create' ? expect.any(String) : `webhook ${told.id}`;
    expect(records).toEqual([{ action: `webhook.${change[0]}`, target }]);
  });

  it('that rotates the secret keeps the previous one until the rotation is finished, and both are recorded', async () => {
    await database.store.deleteFrom('audit_log').execute();
    const id = await insert();
    const change = async (body: object) => (await served.send('PUT', `/webhooks/${id}`, body)).data;
    expect(await change({ secret: 'rotate' })).toEqual({ secret: expect.stringMatching(/^whsec_/) });
    expect(await readWebhook(database.store, id)).toMatchObject({
      ...{ sealed_previous: Buffer.alloc(1), previous_until: expect.any(Date) },
    });
    expect(await change({ secret: 'finish' })).toEqual({ secret: null });
    expect(await readWebhook(database.store, id)).toMatchObject({
      sealed_previous: null,
      previous_until: null,
    });
    expect(await change({ name: 'other' })).toEqual({ secret: null });
    const records = await database.store
      .selectFrom('audit_log')
      .select(['before', 'after'])
      .orderBy('id')
      .execute();
    const shown = { name: 'SIEM', host: 'siem.example.com', types: [], enabled: true };
    expect(records).toEqual([
      { before: shown, after: { ...shown, secret: 'rotate' } },
      { before: shown, after: { ...shown, secret: 'finish' } },
      { before: shown, after: { ...shown, name: 'other' } },
    ]);
  });

  it('that replays deliveries ends the pause of the webhook', async () => {
    const id = await insert({ rest_until: new Date(Date.now() + 3_600_000) });
    await insertLetter(id);
    expect((await served.send('POST', `/webhooks/${id}/replay`, {})).data).toEqual({ count: 1 });
    expect(await readWebhook(database.store, id)).toMatchObject({ rest_until: null, revision: 2 });
  });

  it.each([
    ['is delivered where no delivery of it is stored', undefined, { delivered: true, error: null }],
    ['is not delivered where one is stored', 'answered 500', { delivered: false, error: 'answered 500' }],
  ])('that tests a webhook says that the test %s', async (_what, problem, outcome) => {
    const id = await insert({ audit_seq: 1_000_000_000 });
    if (problem !== undefined) await insertLetter(id, problem);
    expect((await served.send('POST', `/webhooks/${id}/test`)).data).toEqual(outcome);
  });

  it('that cannot delete an ended webhook is answered with an error', async () => {
    const ending = serve();
    const id = await insert();
    const end = () => ending.send('DELETE', `/webhooks/${id}`);
    expect((await whileRefused(database.store, 'delete on webhooks', end)).code).toBe(500);
    expect(ending.faults).toMatchObject([{ message: refusal }]);
    await ending.close();
  });

  describe('that waits too long', () => {
    let past = 0;
    let hasty: ServedRoutes;
    beforeAll(() => {
      hasty = serve({
        monotonic() {
          past += 20_000;
          return past;
        },
      });
    });
    afterAll(() => hasty.close());

    it('for an instance that delivers with the previous settings is answered with that', async () => {
      const id = await insert();
      await setWebhook(database.store, id, `held_revision = 1, held_until = now() + interval '1 hour'`);
      expect((await hasty.send('PUT', `/webhooks/${id}`, { name: 'x' })).reason).toBe('unavailable');
      expect((await hasty.send('DELETE', `/webhooks/${id}`)).reason).toBe('unavailable');
    });

    it('for a test that no instance delivers says so', async () => {
      const id = await insert();
      expect((await hasty.send('POST', `/webhooks/${id}/test`)).data).toEqual({
        delivered: false,
        error: 'not attempted yet: check that an instance runs',
      });
    });
  });
});
