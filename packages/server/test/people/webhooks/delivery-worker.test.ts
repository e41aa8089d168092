import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAttackFails, failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import { startJobs } from '../../../src/base/jobs/jobs.ts';
import { createAllowedAddresses } from '../../../src/base/outbound/allowed-addresses.ts';
import { createHostResolver } from '../../../src/base/outbound/host-resolver.ts';
import { createSealedSecrets } from '../../../src/base/secrets/sealed-secrets.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { insertLoginRows, insertRejectedRecord } from '../../../src/logs/login-log/login-log-store.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../../../src/people/webhooks/delivery-worker.ts';
import { webhookRoutes } from '../../../src/people/webhooks/routes.ts';
import { createSendEvent } from '../../../src/people/webhooks/send-event.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { idAt } from '../../id-at.ts';
import { insertAudit } from '../../logs/audit/audit-world.ts';
import { type ServedRoutes, serveRoutes } from '../../serve-routes.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const sealingKeys = [randomBytes(32)] as const;
const secrets = createSealedSecrets('webhook', sealingKeys);
const addresses = createAllowedAddresses({ allowedNetworks: [], allowLoopback: true });
const { post, close: closePost } = createSendEvent({ addresses, resolve: createHostResolver() });
let database: FreshDatabase;
let served: ServedRoutes;
let receiver: Receiver;
const deliverers: DeliveryWorker[] = [];

beforeAll(async () => {
  database = await createFreshDatabase({ poolSize: 10 });
  const { store } = database;
  served = serveRoutes(
    webhookRoutes({
      store,
      access: createAccessStandIn(store),
      recordChange: createRecordChange(),
      secrets,
      addresses,
      randomBytes,
      canManage: { ofEverybody: () => {} },
      loginEvents: true,
    }),
  );
});
afterAll(async () => {
  expect(served.faults).toEqual([]);
  await served.close();
  closePost();
  await database.drop();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(deliverers.splice(0).map((each) => each.close()));
  await receiver.close();
  await sql`delete from webhooks`.execute(database.store);
});

type Change = Partial<Parameters<typeof createDeliveryWorker>[0]> & { pollMilliseconds?: number };

/** A worker whose background job polls; `close` closes the job first. */
function deliver({ pollMilliseconds = 20, ...change }: Change = {}): DeliveryWorker {
  const onFailure = (cause: unknown) => {
    throw cause;
  };
  const worker = createDeliveryWorker({
    store: database.store,
    instance: randomUUID(),
    secrets,
    post,
    attempts: 1,
    withLogins: true,
    onFailure,
    now: Date.now,
    monotonic: () => performance.now(),
    ...change,
  });
  const job = { name: 'deliver webhooks', every: pollMilliseconds, atStart: true, run: worker.poll };
  const jobs = startJobs([job], {
    logger: { error: (facts) => (change.onFailure ?? onFailure)((facts as { err?: Error }).err, 'poll') },
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
  });
  const deliverer = { ...worker, close: () => jobs.close().then(worker.close) };
  deliverers.push(deliverer);
  return deliverer;
}

async function add(types: string[] = []): Promise<{ id: number; secret: string }> {
  const { data } = await served.send('POST', '/webhooks', { name: 'SIEM', url: receiver.url, types });
  return data as { id: number; secret: string };
}

/** Without what the hooks themselves are about. */
const told = () => receiver.received.filter(({ subject }) => !subject.startsWith('webhook'));
const idsOf = (target: string) => told().flatMap(({ id, subject }) => (subject === target ? [id] : []));
const expectTold = (ids: readonly string[]) =>
  expect
    .poll(() =>
      told()
        .map(({ id }) => id)
        .toSorted(),
    )
    .toEqual(ids.toSorted());

interface Attempt {
  readonly chain: string;
  readonly seq: number;
  readonly userId?: number;
  readonly at?: number;
}

function loginText({ chain, seq, userId = 7, at = Date.now() }: Attempt): { id: string; text: string } {
  const id = idAt(at);
  const nothing = {
    username: 'ada',
    role_key: 'admin',
    ip: '192.0.2.7',
    user_agent: null,
    browser: null,
    os: null,
  };
  const row = {
    ...nothing,
    id,
    at: new Date(at).toISOString(),
    user_id: userId,
    outcome: 'failure',
    reason: 'credentials_wrong',
    platform: null,
    location: null,
    request_id: 'r',
    jti: null,
    instance: chain,
    chain,
    seq,
    hash: '\\x00',
  };
  return { id, text: JSON.stringify(row) };
}

describe('signs', () => {
  it('each request with the secret of the webhook, and with the previous one until the rotation ends', async () => {
    const { id, secret } = await add();
    deliver();
    await insertAudit(database.store);
    await expect.poll(told).toHaveLength(1);
    const signatures = () => verified(told().at(-1), [secret, ...rotated]);
    const rotated: string[] = [];
    expect(signatures()).toEqual([true]);
    rotated.push(await rotate(id, 'rotate'));
    await insertAudit(database.store);
    await expect.poll(told).toHaveLength(2);
    expect(signatures()).toEqual([true, true]);
    await rotate(id, 'finish');
    await insertAudit(database.store);
    await expect.poll(told).toHaveLength(3);
    expect(signatures()).toEqual([false, true]);
  });

  it('nothing with the previous secret after its end', async () => {
    const { id, secret } = await add();
    const rotated = await rotate(id, 'rotate');
    await sql`update webhooks set previous_until = now() where id = ${id}`.execute(database.store);
    deliver();
    await insertAudit(database.store);
    await expect.poll(told).toHaveLength(1);
    const [byPrevious, byPresent] = verified(told()[0], [secret, rotated]);
    failIfAttackSucceeded(byPrevious === true, 'the previous secret signs after its end');
    expect(byPresent).toBe(true);
  });

  async function rotate(id: number, secret: string): Promise<string> {
    const { data } = await served.send('PUT', `/webhooks/${id}`, { secret });
    return (data as { secret: string }).secret;
  }

  /** As a receiver does it. */
  function verified(
    received: Receiver['received'][number] | undefined,
    secrets: readonly string[],
  ): boolean[] {
    const {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': given = '',
    } = received?.headers ?? {};
    return secrets.map((secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      const signed = createHmac('sha256', key).update(`${id}.${at}.${received?.body}`).digest('base64');
      return String(given).split(' ').includes(`v1,${signed}`);
    });
  }
});

describe('delivers', () => {
  it('nothing from before the webhook, and everything after it once, in the order of the log', async () => {
    await insertAudit(database.store);
    await add();
    const ids = [];
    for (let n = 0; n < 150; n += 1) ids.push(await insertAudit(database.store, { target: `user ${n % 3}` }));
    deliver();
    await expectTold(ids);
    for (const n of [0, 1, 2]) expect(idsOf(`user ${n}`)).toEqual(ids.filter((_, index) => index % 3 === n));
  });

  it('a change that was begun first and committed last', async () => {
    await add();
    deliver();
    let early = '';
    await database.store.transaction().execute(async (transaction) => {
      early = await insertAudit(transaction, { target: 'user 1' });
      const late = await insertAudit(database.store, { target: 'user 1' });
      await expectTold([late]);
    });
    await expect.poll(() => idsOf('user 1').at(-1)).toBe(early);
  });

  it('logins that an instance stores late, however old they are, and rejected ones', async () => {
    const { store } = database;
    const [first, second] = [randomUUID(), randomUUID()];
    const old = loginText({ chain: first, seq: 4, at: Date.now() - 60_000 });
    await insertLoginRows(store, [old.text]);
    await add(['login.*']);
    deliver();
    const now = loginText({ chain: second, seq: 1 });
    await insertLoginRows(store, [now.text]);
    await expectTold([now.id]);
    // From one time: ids grow within a chain.
    const from = Date.now() - 50_000;
    const late = [5, 7].map((seq) => loginText({ chain: first, seq, at: from + seq }));
    const rejected = loginText({ chain: first, seq: 6, at: from + 6 });
    await store.transaction().execute(async (transaction) => {
      await insertRejectedRecord(transaction, rejected.text, 'refused');
      await insertLoginRows(
        transaction,
        late.map(({ text }) => text),
      );
    });
    const ids = [late[0]?.id, rejected.id, late[1]?.id].map(String);
    await expectTold([now.id, ...ids]);
    expect(idsOf('user 7').slice(1)).toEqual(ids);
    expect(told()[0]).toMatchObject({ type: 'login.failure', log: 'login', chain: second, seq: 1 });
    expect(told()[0]?.body).not.toContain('jti');
  });

  it('no logins where they are not recorded', async () => {
    await add();
    deliver({ withLogins: false });
    await insertLoginRows(database.store, [loginText({ chain: randomUUID(), seq: 1 }).text]);
    const id = await insertAudit(database.store);
    await expectTold([id]);
  });

  it('only the wanted kinds', async () => {
    await add(['role.*', 'user.create']);
    deliver();
    const kinds = [
      'user.create',
      'user.created_not',
      'role.delete',
      'roles.not',
      'user.delete',
      'role.create',
    ];
    // All of one object, so that the last one comes behind all others.
    for (const action of kinds) await insertAudit(database.store, { action });
    const types = () => told().map(({ type }) => type);
    await expect.poll(types).toContain('role.create');
    expect(types()).toEqual(['user.create', 'role.delete', 'role.create']);
  });

  it('from one instance at a time, and from another after that one ended', async () => {
    const { id } = await add();
    const gone = randomUUID();
    await sql`update webhooks set held_by = ${gone}, held_until = now() + interval '2 seconds', held_revision = 1
      where id = ${id}`.execute(database.store);
    deliver();
    const event = await insertAudit(database.store);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(told()).toEqual([]);
    await expectTold([event]);
  });
});

it('an ended webhook that cannot be deleted stops no other one', async () => {
  const { store } = database;
  const [{ id }] = [await add(), await add()];
  await sql`update webhooks set ended_at = now() where id = ${id}`.execute(store);
  await sql`create function refuse_deletion() returns trigger language plpgsql as $$
    begin raise exception 'not now'; end $$`.execute(store);
  await sql`create trigger refuse_deletion before delete on webhooks
    for each row execute function refuse_deletion()`.execute(store);
  try {
    const causes: unknown[] = [];
    deliver({ onFailure: (cause) => void causes.push(cause) });
    await expectTold([await insertAudit(store)]);
    expect(causes).toEqual([expect.objectContaining({ message: 'not now' })]);
  } finally {
    await sql`drop function refuse_deletion cascade`.execute(store);
  }
});

it('reports failed runs once, and again after a successful one', async () => {
  const { store } = database;
  await sql`create sequence failed_looks`.execute(store);
  await sql`create function refuse_deletion() returns trigger language plpgsql as $$
    begin perform nextval('failed_looks'); raise exception 'not now'; end $$`.execute(store);
  const failedLooks = async () =>
    Number((await sql<{ n: string }>`select last_value as n from failed_looks`.execute(store)).rows[0]?.n);
  const causes: unknown[] = [];
  const failOnce = async () => {
    const { id } = await add();
    await sql`create trigger refuse_deletion before delete on webhooks
      for each row execute function refuse_deletion()`.execute(store);
    await sql`update webhooks set ended_at = now() where id = ${id}`.execute(store);
    const before = await failedLooks();
    await expect.poll(failedLooks).toBeGreaterThan(before + 2);
    await sql`drop trigger refuse_deletion on webhooks`.execute(store);
    const left = () => store.selectFrom('webhooks').select('id').execute();
    await expect.poll(left).toEqual([]);
    // The look that deleted it has ended when another change was told.
    await add();
    await expectTold([...told().map(({ id: event }) => event), await insertAudit(store)]);
    await sql`delete from webhooks`.execute(store);
  };
  try {
    deliver({ onFailure: (cause) => void causes.push(cause) });
    await failOnce();
    await failOnce();
    expect(causes).toMatchObject([{ message: 'not now' }, { message: 'not now' }]);
  } finally {
    await sql`drop function refuse_deletion cascade`.execute(store);
    await sql`drop sequence failed_looks`.execute(store);
  }
});

it('reports a webhook whose secret cannot be decrypted, and sends nothing', async () => {
  const { id } = await add();
  await insertAudit(database.store);
  const reported = Promise.withResolvers<[cause: unknown, what: string]>();
  deliver({
    secrets: createSealedSecrets('webhook', [randomBytes(32)]),
    onFailure: (cause, what) => reported.resolve([cause, what]),
  });
  const [cause, what] = await reported.promise;
  expect([String(cause), what]).toEqual([
    expect.stringContaining(`The secret of webhook ${id} does not open.`),
    `webhook ${id} could not be delivered`,
  ]);
  expect(receiver.received).toEqual([]);
});

it('releases a webhook after every delivery, and looks again after its pause', async () => {
  const { store } = database;
  await sql`create sequence looks`.execute(store);
  await sql`create function count_look() returns trigger language plpgsql as $$
    begin perform nextval('looks'); return null; end $$`.execute(store);
  await sql`create trigger count_look before delete on webhooks execute function count_look()`.execute(store);
  const looks = async () =>
    (await sql<{ n: number }>`select last_value::int as n from looks where is_called`.execute(store)).rows[0]
      ?.n ?? 0;
  try {
    const { id } = await add();
    const event = await insertAudit(store);
    deliver({ pollMilliseconds: 3_600_000 });
    await expectTold([event]);
    const holder = async () =>
      (await sql<{ by: string | null }>`select held_by as by from webhooks where id = ${id}`.execute(store))
        .rows[0]?.by;
    await expect.poll(holder).toBeNull();
    for (let left = 20; left > 0; left -= 1) expect(await looks()).toBe(1);
  } finally {
    await sql`drop function count_look cascade`.execute(store);
    await sql`drop sequence looks`.execute(store);
  }
});

describe('the end of an instance', () => {
  it('waits for the attempt that is under way, and frees the webhook', async () => {
    const { id } = await add();
    const answered = Promise.withResolvers<void>();
    receiver.answer = (_received, response) => void answered.promise.then(() => response.end());
    await insertAudit(database.store);
    const deliverer = deliver();
    await expect.poll(told).toHaveLength(1);
    const order: string[] = [];
    const closed = deliverer.close().then(() => order.push('closed'));
    const { rows } = await sql<{ held: boolean }>`
      select held_by is not null as held from webhooks where id = ${id}`.execute(database.store);
    expect(rows).toEqual([{ held: true }]);
    order.push('answered');
    answered.resolve();
    await closed;
    expect(order).toEqual(['answered', 'closed']);
    const { rows: after } = await sql`select held_by, delivered from webhooks where id = ${id}`.execute(
      database.store,
    );
    expect(after).toMatchObject([{ held_by: null }]);
  });

  it('waits for the current run', async () => {
    const { store } = database;
    const order: string[] = [];
    let closed: Promise<unknown> = Promise.resolve();
    await store.transaction().execute(async (transaction) => {
      await sql`lock table webhooks in access exclusive mode`.execute(transaction);
      const deliverer = deliver();
      const waiting = async () =>
        (
          await sql`select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(store)
        ).rows.length;
      await expect.poll(waiting).toBe(1);
      closed = deliverer.close().then(() => order.push('closed'));
      await waiting();
      order.push('unlocked');
    });
    await closed;
    expect(order).toEqual(['unlocked', 'closed']);
  });

  it('starts no further attempt, and leaves the rest to another instance', async () => {
    await add();
    receiver.answer = (_received, response) => void setTimeout(() => response.end(), 50);
    const ids = [];
    for (let n = 0; n < 90; n += 1) ids.push(await insertAudit(database.store, { target: `user ${n}` }));
    const deliverer = deliver();
    await expect.poll(() => told().length).toBeGreaterThan(0);
    await deliverer.close();
    expect(told().length).toBeLessThan(90);
    receiver.answer = (_received, response) => void response.end();
    deliver();
    await expectTold(ids);
  });
});

describe('a refused event', () => {
  const refuse = (target: string) => {
    receiver.answer = ({ subject }, response) => {
      response.statusCode = subject === target ? 500 : 200;
      response.end();
    };
  };
  const accept = () => {
    receiver.answer = (_received, response) => void response.end();
  };
  const letters = async (id: number) =>
    (await served.send('GET', `/webhooks/${id}/deliveries`)).data as {
      items: { id: number; state: string; subject: string; lastError: string }[];
    };

  it('delays later events of its object, and nothing else, until it is replayed', async () => {
    const { id } = await add();
    deliver();
    refuse('user 1');
    const [one, two, other] = [
      await insertAudit(database.store, { target: 'user 1' }),
      await insertAudit(database.store, { target: 'user 1' }),
      await insertAudit(database.store, { target: 'user 2' }),
    ];
    await expect.poll(() => idsOf('user 2')).toEqual([other]);
    await expect
      .poll(async () => (await letters(id)).items.map(({ state }) => state))
      .toEqual(['dead', 'waiting']);
    const three = await insertAudit(database.store, { target: 'user 1' });
    await expect.poll(async () => (await letters(id)).items).toHaveLength(3);
    expect(idsOf('user 1')).toEqual([one]);
    expect((await letters(id)).items[0]).toMatchObject({ subject: 'user 1', lastError: 'answered 500' });
    accept();
    expect((await served.send('POST', `/webhooks/${id}/replay`, {})).data).toEqual({ count: 1 });
    await expect.poll(() => idsOf('user 1')).toEqual([one, one, two, three]);
    await expect.poll(async () => (await letters(id)).items).toEqual([]);
  });

  it('is never delivered after a skip, which the audit log records', async () => {
    const { id } = await add();
    deliver();
    refuse('user 1');
    const one = await insertAudit(database.store, { target: 'user 1' });
    const two = await insertAudit(database.store, { target: 'user 1' });
    await expect.poll(async () => (await letters(id)).items).toHaveLength(2);
    accept();
    const [first] = (await letters(id)).items;
    await served.send('POST', `/webhooks/${id}/skip`, { deliveryId: first?.id });
    await expect.poll(() => idsOf('user 1')).toEqual([one, two]);
    const { rows } = await sql<{ before: object }>`
      select before from audit_log where action = 'webhook.skip' order by id desc limit 1`.execute(
      database.store,
    );
    expect(rows[0]?.before).toMatchObject({ eventId: one, subject: 'user 1' });
  });

  it('is retried after a while without a call', async () => {
    await add();
    deliver({ attempts: 3 });
    refuse('user 1');
    const id = await insertAudit(database.store, { target: 'user 1' });
    await expect.poll(() => idsOf('user 1')).toEqual([id]);
    accept();
    await expect.poll(() => idsOf('user 1')).toEqual([id, id]);
  });

  it('pauses the webhook when every delivery fails, and all come in their order afterwards', async () => {
    const { id } = await add();
    receiver.answer = (_received, response) => void response.writeHead(503).end();
    deliver({ attempts: 20 });
    const ids = [];
    for (let n = 0; n < 60; n += 1) ids.push(await insertAudit(database.store, { target: `user ${n % 20}` }));
    const pausedUntil = async () => {
      const { data } = await served.send('GET', '/webhooks');
      return (data as { items: { pausedUntil: string | null }[] }).items[0]?.pausedUntil ?? null;
    };
    await expect.poll(pausedUntil).not.toBeNull();
    expect(told().length).toBeLessThan(15);
    accept();
    await sql`update webhooks set rest_until = null where id = ${id}`.execute(database.store);
    await expect.poll(async () => (await letters(id)).items, { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => new Set(told().map((each) => each.id))).toEqual(new Set(ids));
    for (let n = 0; n < 20; n += 1)
      expect([...new Set(idsOf(`user ${n}`))]).toEqual(ids.filter((_, index) => index % 20 === n));
  });
});

describe('an event that was swept before its delivery', () => {
  it('is counted, in both logs, and the rest is delivered', async () => {
    const { store } = database;
    const { id } = await add();
    const chain = randomUUID();
    const logins = [1, 2, 3].map((seq) => loginText({ chain, seq, at: Date.now() + seq }));
    await insertLoginRows(
      store,
      logins.map(({ text }) => text),
    );
    const [gone, kept] = [await insertAudit(store), await insertAudit(store)];
    await sql`delete from audit_log where id = ${gone}`.execute(store);
    await sql`delete from login_log where id = any(${[logins[0]?.id, logins[2]?.id]}::uuid[])`.execute(store);
    const deliverer = deliver();
    await expectTold([kept, String(logins[1]?.id)]);
    await expect
      .poll(async () => {
        const { data } = await served.send('GET', '/webhooks');
        return (data as { items: { expired: number; backlog: number }[] }).items[0];
      })
      .toMatchObject({ expired: 3, backlog: 0 });
    await expect.poll(() => deliverer.status().get(id)?.gone).toBe(3);
  });
});

describe('a call', () => {
  it('that tests a webhook returns the result', async () => {
    const { id } = await add(['role.*']);
    deliver();
    expect((await served.send('POST', `/webhooks/${id}/test`)).data).toEqual({
      delivered: true,
      error: null,
    });
    expect(receiver.received.at(-1)).toMatchObject({ type: 'webhook.test', subject: `webhook ${id}` });
    receiver.answer = (_received, response) =>
      void response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
    expect((await served.send('POST', `/webhooks/${id}/test`)).data).toEqual({
      delivered: false,
      error: 'answered 302; redirects are not followed',
    });
  });

  it('for the deliveries of an unknown or ended webhook is refused', async () => {
    const { id } = await add();
    expect((await served.send('GET', `/webhooks/${id}/deliveries`)).code).toBe(200);
    expect((await served.send('GET', `/webhooks/${id + 1}/deliveries`)).code).toBe(404);
    await served.send('DELETE', `/webhooks/${id}`);
    expect((await served.send('GET', `/webhooks/${id}/deliveries`)).code).toBe(404);
  });

  it('that ends a webhook returns after its last request', async () => {
    const { id } = await add();
    // Slow enough that the end comes before the last event.
    receiver.answer = (_received, response) => void setTimeout(() => response.end(), 100);
    for (let n = 0; n < 200; n += 1) await insertAudit(database.store, { target: `user ${n % 10}` });
    deliver();
    await expect.poll(() => told().length).toBeGreaterThan(5);
    expect((await served.send('DELETE', `/webhooks/${id}`)).code).toBe(200);
    const before = receiver.received.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(receiver.received.length).toBe(before);
    expect(before).toBeLessThan(200);
    expect((await served.send('GET', '/webhooks')).data).toMatchObject({ items: [] });
  });

  it('with a URL that is not allowed is refused, for a new webhook and for a changed one', async () => {
    const { id } = await add();
    for (const url of [
      'http://example.com/',
      'https://10.0.0.1/',
      'https://[::ffff:10.0.0.1]/',
      'https://169.254.169.254/latest',
      'https://user@example.com/',
      'https://2130706433/',
      'ftp://example.com/',
      'nothing',
    ]) {
      const created = await served.send('POST', '/webhooks', { name: 'x', url });
      const changed = await served.send('PUT', `/webhooks/${id}`, { url });
      for (const { code } of [created, changed])
        if (url === 'https://2130706433/') expect(code).toBe(200);
        else expectAttackFails(code, { success: 200, failure: 400 });
    }
  });
});
