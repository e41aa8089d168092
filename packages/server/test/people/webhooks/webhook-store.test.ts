import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { insertLoginRows } from '../../../src/logs/login-log/login-log-store.ts';
import { readAuditPlace, retryNow } from '../../../src/people/webhooks/delivery-admin-store.ts';
import {
  claimWebhook,
  isRevisionInForce,
  listDueWebhooks,
  releaseWebhook,
  renewWebhookLease,
} from '../../../src/people/webhooks/webhook-lease-store.ts';
import {
  changeWebhook,
  countWebhooks,
  deleteEndedWebhooks,
  listWebhookFacts,
  listWebhooks,
  lockWebhook,
  storeWebhook,
} from '../../../src/people/webhooks/webhook-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { insertAudit } from '../../logs/audit/audit-world.ts';
import { rowWith } from '../../logs/login-log/write-chain.ts';
import { refusal, whileRefused } from '../../refuse-writes.ts';
import { insertWebhook, readWebhook, setWebhook } from './webhook-world.ts';

const instance = randomUUID();
let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterEach(async () => {
  await sql`delete from webhooks`.execute(database.store);
  await sql`delete from login_log_chains`.execute(database.store);
});
afterAll(() => database.drop());

const due = (withLogins = false) => listDueWebhooks(database.store, instance, withLogins);

/** With a change that it was not told. */
async function insertBehind(): Promise<number> {
  const id = await insertWebhook(database.store);
  await insertAudit(database.store);
  return id;
}

async function insertLetter(
  webhookId: number,
  state: 'retrying' | 'waiting' | 'dead',
  next: string,
  object = 'user 1',
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    insert into webhook_letters (hook_id, log, record_id, kind, object, recorded_at, state, next_at)
    values (${webhookId}, 'audit', gen_random_uuid(), 'user.update', ${object}, now(), ${state}, now() + ${next}::interval)
    returning n`.execute(database.store);
  return rows[0]?.n ?? 0;
}

/** The note of a new chain, which reaches so far. */
async function insertChain(seq: number): Promise<string> {
  const chain = randomUUID();
  await sql`insert into login_log_chains (chain, first_seq, first_id, seq, id)
    values (${chain}, 1, gen_random_uuid(), ${seq}, gen_random_uuid())`.execute(database.store);
  return chain;
}

async function setPlace(webhookId: number, chain: string, seq: number): Promise<void> {
  await sql`insert into webhook_places (hook_id, chain, seq, id)
    values (${webhookId}, ${chain}, ${seq}, gen_random_uuid())`.execute(database.store);
}

const inTransaction = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
  database.store.transaction().execute(work);
type Transaction = Parameters<typeof changeWebhook>[0];
const minute = `now() + interval '1 minute'`;

describe('a webhook is not due', () => {
  it.each([
    ['that is disabled', 'enabled = false'],
    ['that was ended', 'ended_at = now()'],
    ['that rests', `rest_until = now() + interval '1 minute'`],
    ['that another instance holds', `held_by = gen_random_uuid(), held_until = now() + interval '1 minute'`],
  ])('%s', async (_name, assignments) => {
    const id = await insertBehind();
    expect(await due()).toEqual([id]);
    await setWebhook(database.store, id, assignments);
    expect(await due()).toEqual([]);
  });

  it('without an undelivered event', async () => {
    const id = await insertWebhook(database.store);
    await insertLetter(id, 'retrying', '1 minute');
    await insertLetter(id, 'waiting', '0');
    await insertLetter(id, 'dead', '0');
    expect(await due()).toEqual([]);
  });

  it('while the deliveries of another webhook are', async () => {
    const [, other] = [await insertWebhook(database.store), await insertWebhook(database.store)];
    await insertLetter(other, 'retrying', '0');
    expect(await due()).toEqual([other]);
  });

  it('after every chain of logins was delivered to its end, whatever other webhooks received', async () => {
    const chains = [await insertChain(3), await insertChain(9)];
    const [told, behind] = [await insertWebhook(database.store), await insertWebhook(database.store)];
    for (const [index, chain] of chains.entries()) {
      const seq = index === 0 ? 3 : 9;
      await setPlace(told, chain, seq);
      await setPlace(behind, chain, index === 0 ? 3 : 8);
    }
    expect(await due(true)).toEqual([behind]);
    const list = await listWebhooks(database.store);
    expect(list.map(({ id, backlog: count }) => [id, count])).toEqual([
      [told, 0],
      [behind, 1],
    ]);
  });
});

describe('a webhook is due', () => {
  it.each([
    ['whose rest is over', 'rest_until = now()'],
    ['whose lease with another instance ended', 'held_by = gen_random_uuid(), held_until = now()'],
    ['that the instance holds itself', `held_by = '${instance}', held_until = now() + interval '1 minute'`],
  ])('%s', async (_name, assignments) => {
    const id = await insertBehind();
    await setWebhook(database.store, id, assignments);
    expect(await due()).toEqual([id]);
  });

  it('with a delivery whose pause is over', async () => {
    const id = await insertWebhook(database.store);
    await insertLetter(id, 'retrying', '0');
    expect(await due()).toEqual([id]);
  });

  it('with an undelivered login, when it receives logins', async () => {
    const id = await insertWebhook(database.store);
    const login = { ...rowWith(), chain: randomUUID(), seq: 1, hash: '\\x00' };
    await insertLoginRows(database.store, [JSON.stringify(login)]);
    expect([await due(), await due(true)]).toEqual([[], [id]]);
  });
});

describe('a new webhook', () => {
  const insert = (name = 'new') =>
    inTransaction((transaction) =>
      storeWebhook(transaction, { name, url: 'https://siem.example.com/', types: [] }, (id) =>
        Buffer.from(`sealed for ${id}`),
      ),
    );

  it('has a new secret and the current positions of the logs, and does not change others', async () => {
    const chain = await insertChain(5);
    const first = await insert();
    const before = await readWebhook(database.store, first);
    const second = await insert();
    expect(await readWebhook(database.store, first)).toEqual(before);
    expect((await readWebhook(database.store, second)).sealed_secret).toEqual(
      Buffer.from(`sealed for ${second}`),
    );
    const places = await sql`select chain, seq from webhook_places where hook_id = ${second}`.execute(
      database.store,
    );
    expect(places.rows).toEqual([{ chain, seq: 5 }]);
  });

  it.each(['update on webhooks', 'insert on webhook_places'])(
    'is not stored where the database refuses an %s',
    async (writes) => {
      await insertChain(5);
      await expect(whileRefused(database.store, writes, insert)).rejects.toThrow(refusal);
      expect(await listWebhooks(database.store)).toEqual([]);
    },
  );

  it('is not stored where the audit log has no end', async () => {
    const inserted = inTransaction(async (transaction) => {
      await sql`delete from audit_log_end`.execute(transaction);
      await storeWebhook(transaction, { name: 'x', url: 'https://siem.example.com/', types: [] }, () =>
        Buffer.of(),
      );
    });
    await expect(inserted).rejects.toThrow('The audit log has no end.');
  });

  it('is counted after a concurrent one', async () => {
    const count = () =>
      inTransaction(async (transaction) => {
        await sql`set local lock_timeout = '50ms'`.execute(transaction);
        return await countWebhooks(transaction);
      });
    await insert();
    expect(await count()).toBe(1);
    await inTransaction(async (transaction) => {
      await countWebhooks(transaction);
      await expect(count()).rejects.toThrow('lock timeout');
    });
  });
});

describe('a change of a webhook', () => {
  it.each<[field: string, change: Parameters<typeof changeWebhook>[2], stored: object]>([
    ['name', { name: 'other' }, { name: 'other' }],
    ['URL', { url: 'https://other.example.com/' }, { url: 'https://other.example.com/' }],
    ['types', { types: ['role.*'] }, { kinds: ['role.*'] }],
    ['state', { enabled: false }, { enabled: false }],
    ['secret', { sealedSecret: Buffer.from('s') }, { sealed_secret: Buffer.from('s') }],
    ['previous secret', { sealedPrevious: Buffer.from('p') }, { sealed_previous: Buffer.from('p') }],
    ['time of the previous secret', { previousSeconds: 60 }, { previous_until: expect.any(Date) }],
    ['end', { isEnded: true }, { ended_at: expect.any(Date) }],
    ['nothing', {}, {}],
  ])('is of its %s alone, and of no other webhook', async (_field, change, stored) => {
    const { store } = database;
    const [id, other] = [await insertWebhook(store), await insertWebhook(store)];
    const before = [await readWebhook(store, id), await readWebhook(store, other)];
    expect(await inTransaction((transaction) => changeWebhook(transaction, id, change))).toBe(2);
    expect(await readWebhook(store, id)).toEqual({ ...before[0], revision: 2, ...stored });
    expect(await readWebhook(store, other)).toEqual(before[1]);
  });

  it('takes the time of the previous secret away', async () => {
    const id = await insertWebhook(database.store, { previous_until: new Date() });
    await inTransaction((transaction) => changeWebhook(transaction, id, { previousSeconds: null }));
    expect((await readWebhook(database.store, id)).previous_until).toBeNull();
  });

  it('locks the webhook that is meant', async () => {
    const [one, other] = [await insertWebhook(database.store), await insertWebhook(database.store)];
    for (const id of [other, one])
      expect(await inTransaction((transaction) => lockWebhook(transaction, id))).toMatchObject({ id });
  });

  it('is followed unless an instance delivers with the previous settings now', async () => {
    const { store } = database;
    const [id, other] = [await insertWebhook(store), await insertWebhook(store)];
    for (const [assignments, expected] of [
      [`held_until = ${minute}, held_revision = 1`, false],
      [`held_until = ${minute}, held_revision = 2`, true],
      ['held_until = now(), held_revision = 1', true],
    ] as const) {
      await setWebhook(store, id, assignments);
      expect([await isRevisionInForce(store, id, 2), await isRevisionInForce(store, other, 2)]).toEqual([
        expected,
        true,
      ]);
    }
  });
});

describe('an ended webhook', () => {
  it('is deleted with its deliveries once no instance has locked it, and no other webhook and delivery is', async () => {
    const { store } = database;
    const [live, held, free, over] = [
      await insertWebhook(store),
      await insertWebhook(store),
      await insertWebhook(store),
      await insertWebhook(store),
    ];
    await setWebhook(store, held, `ended_at = now(), held_until = ${minute}`);
    await setWebhook(store, free, 'ended_at = now()');
    await setWebhook(store, over, 'ended_at = now(), held_until = now()');
    for (const id of [live, held, free]) await insertLetter(id, 'dead', '0');
    await deleteEndedWebhooks(store);
    const { rows } = await sql<{ id: number; letters: number }>`
      select id, (select count(*)::int from webhook_letters where hook_id = webhooks.id) as letters
      from webhooks order by id`.execute(store);
    expect(rows).toEqual([
      { id: live, letters: 1 },
      { id: held, letters: 1 },
    ]);
  });

  it.each(['webhook_letters', 'webhooks'])('reports that it cannot be deleted from %s', async (table) => {
    const id = await insertWebhook(database.store);
    await insertLetter(id, 'dead', '0');
    await setWebhook(database.store, id, 'ended_at = now()');
    const deletion = () => deleteEndedWebhooks(database.store);
    await expect(whileRefused(database.store, `delete on ${table}`, deletion)).rejects.toThrow(refusal);
  });
});

it('lists webhooks with their deliveries, and without ended ones', async () => {
  const { store } = database;
  const [one, other, ended] = [
    await insertWebhook(store),
    await insertWebhook(store),
    await insertWebhook(store),
  ];
  await setWebhook(store, ended, 'ended_at = now()');
  for (const [id, state] of [
    [one, 'dead'],
    [one, 'retrying'],
    [other, 'dead'],
    [other, 'dead'],
    [other, 'waiting'],
  ] as const)
    await insertLetter(id, state, '0');
  const counts = (await listWebhooks(store)).map(({ id, deadLetters, pending }) => ({
    id,
    deadLetters,
    pending,
  }));
  expect(counts).toEqual([
    { id: one, deadLetters: 1, pending: 2 },
    { id: other, deadLetters: 2, pending: 3 },
  ]);
  const facts = (await listWebhookFacts(store)).map(({ id, deadLetters }) => ({ id, deadLetters }));
  expect(facts).toEqual(counts.map(({ id, deadLetters }) => ({ id, deadLetters })));
});

describe('the calls of an instance on one webhook that it has locked', () => {
  const holdBoth = async () => {
    const ids = [await insertWebhook(database.store), await insertWebhook(database.store)] as const;
    for (const id of ids) expect(await claimWebhook(database.store, id, instance)).toMatchObject({ id });
    return ids;
  };

  it('change no other webhook that it has locked: a renewal, another lock, a release', async () => {
    const { store } = database;
    const [id, other] = await holdBoth();
    await setWebhook(store, other, `held_until = ${minute}`);
    const before = await readWebhook(store, other);
    const webhook = await claimWebhook(store, id, instance);
    if (webhook === undefined) throw new Error('The instance does not get its own webhook.');
    expect(await renewWebhookLease(store, webhook, instance)).toBe(true);
    await releaseWebhook(store, id, instance);
    expect(await readWebhook(store, other)).toEqual(before);
    expect((await readWebhook(store, id)).held_by).toBeNull();
  });

  it('report a failed release', async () => {
    const [id] = await holdBoth();
    const release = () => releaseWebhook(database.store, id, instance);
    await expect(whileRefused(database.store, 'update on webhooks', release)).rejects.toThrow(refusal);
  });
});

describe('a test that can start at once', () => {
  it('ends the pause of its webhook and of its deliveries, and of nothing else', async () => {
    const { store } = database;
    const [id, other] = [await insertWebhook(store), await insertWebhook(store)];
    for (const each of [id, other]) await setWebhook(store, each, `rest_until = ${minute}`);
    const own = await insertLetter(id, 'retrying', '1 minute', `webhook ${id}`);
    await insertLetter(id, 'dead', '1 minute', `webhook ${id}`);
    await insertLetter(id, 'retrying', '1 minute', 'user 1');
    await insertLetter(other, 'retrying', '1 minute', `webhook ${id}`);
    const readLetters = async () =>
      (await sql<{ n: number }>`select * from webhook_letters order by n`.execute(store)).rows;
    const [webhook, letters] = [await readWebhook(store, other), await readLetters()];
    const { rows } = await sql<{ seq: number }>`select seq from audit_log_end`.execute(store);
    expect(await retryNow(store, id)).toBe(rows[0]?.seq);
    expect((await readWebhook(store, id)).rest_until).toBeNull();
    expect(await readWebhook(store, other)).toEqual(webhook);
    const changed = (await readLetters()).filter(
      (row, index) => JSON.stringify(row) !== JSON.stringify(letters[index]),
    );
    expect(changed.map(({ n }) => n)).toEqual([own]);
  });

  it.each(['webhooks', 'webhook_letters'])('reports a failed update of %s', async (table) => {
    const id = await insertWebhook(database.store);
    await insertLetter(id, 'retrying', '1 minute', `webhook ${id}`);
    const hurried = () => retryNow(database.store, id);
    await expect(whileRefused(database.store, `update on ${table}`, hurried)).rejects.toThrow(refusal);
  });

  it('returns the progress of its webhook', async () => {
    const { store } = database;
    const [one, other] = [
      await insertWebhook(store, { audit_seq: 3 }),
      await insertWebhook(store, { audit_seq: 4 }),
    ];
    const places = [await readAuditPlace(store, one), await readAuditPlace(store, other)];
    expect([...places, await readAuditPlace(store, other + 1)]).toEqual([3, 4, undefined]);
  });
});
