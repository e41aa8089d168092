import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import { insertLoginRows, insertRejectedRecord } from '../../../src/logs/login-log/login-log-store.ts';
import { readEvents, readLogRange } from '../../../src/people/webhooks/event-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { idAt } from '../../id-at.ts';
import { insertAudit } from '../../logs/audit/audit-world.ts';
import { rowWith } from '../../logs/login-log/write-chain.ts';
import { insertWebhook, readWebhook } from './webhook-world.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());

function loginText(chain: string | null, seq: number | null): { id: string; text: string } {
  const row = rowWith({ id: idAt(Date.now()) });
  return { id: row.id, text: JSON.stringify({ ...row, chain, seq, hash: '\\x00' }) };
}

it('reads each record of concurrent chains once, in the order of time', async () => {
  const { store } = database;
  const [one, two] = [randomUUID(), randomUUID()];
  const id = await insertWebhook(store);
  const records = [
    loginText(one, 1),
    loginText(two, 1),
    loginText(one, 2),
    loginText(two, 2),
    loginText(one, 3),
  ];
  await insertLoginRows(
    store,
    records.map(({ text }) => text),
  );
  const { events, positions, gone } = await readLogRange(
    store,
    { id, auditSeq: 0 },
    { limit: 100, withLogins: true },
  );
  expect(events.map((event) => event.id)).toEqual(records.map((record) => record.id));
  expect(new Map(positions.map(({ chain, seq }) => [chain, seq]))).toEqual(
    new Map([
      [one, 3],
      [two, 2],
    ]),
  );
  expect(gone).toBe(0);
});

it('finds the events of records again, also of rejected ones', async () => {
  const { store } = database;
  const chain = randomUUID();
  const [stored, rejected] = [loginText(chain, 1), loginText(chain, 2)];
  await insertLoginRows(store, [stored.text]);
  await insertRejectedRecord(store, rejected.text, 'refused');
  const events = await readEvents(store, [], [stored.id, rejected.id, randomUUID()]);
  expect([...events.keys()].toSorted()).toEqual([stored.id, rejected.id].toSorted());
});

it('counts rejected records that cannot be delivered as missed, and delivers the records after them', async () => {
  const { store } = database;
  const chain = randomUUID();
  const id = await insertWebhook(store);
  const first = loginText(chain, 1);
  const [unreadable, undated, unstorable] = [2, 3, 4].map((seq) => loginText(chain, seq));
  const last = loginText(chain, 5);
  await insertLoginRows(store, [first.text, last.text]);
  const changed: [rejected: typeof unreadable, text: (row: object) => string][] = [
    [unreadable, () => 'no record'],
    [undated, (row) => JSON.stringify({ ...row, at: 'once' })],
    [unstorable, (row) => JSON.stringify({ ...row, user_id: null, username: 'a\0b' })],
  ];
  const asides: string[] = [];
  for (const [rejected, textOf] of changed) {
    if (rejected === undefined) throw new Error('There are three.');
    await insertRejectedRecord(store, rejected.text, 'refused');
    const raw = Buffer.from(textOf(JSON.parse(rejected.text) as object));
    await store.updateTable('login_log_dead_letters').set({ raw }).where('id', '=', rejected.id).execute();
    asides.push(rejected.id);
  }
  const reading = readLogRange(store, { id, auditSeq: 0 }, { limit: 1000, withLogins: true });
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  failIfAttackSucceeded(error !== undefined, `the records after it are not read: ${error}`);
  const stretch = await reading;
  const told = stretch.events.filter((event) => event.chain === chain).map((event) => event.id);
  failIfAttackSucceeded(told.includes(String(unstorable?.id)), 'a delivery that cannot be stored is tried');
  expect([told, stretch.gone]).toEqual([[first.id, last.id], 3]);
  expect(stretch.positions.find((place) => place.chain === chain)?.seq).toBe(5);
  expect([...(await readEvents(store, [], [...asides, last.id])).keys()]).toEqual([last.id]);
});

describe('a webhook with a part delivered', () => {
  /** Up to there, as the deliverer stores it. */
  async function setPlaces(id: number, places: readonly { chain: string; seq: number; id: string }[]) {
    for (const { chain, seq, id: last } of places)
      await sql`insert into webhook_places (hook_id, chain, seq, id) values (${id}, ${chain}, ${seq}, ${last})
        on conflict (hook_id, chain) do update set seq = excluded.seq, id = excluded.id`.execute(
        database.store,
      );
  }

  it.each([1, 2, 3, 100])(
    'receives the rest of both logs once and in order, %i records at a time',
    async (limit) => {
      const { store } = database;
      await store.deleteFrom('login_log_chains').execute();
      const [one, two] = [randomUUID(), randomUUID()];
      const id = await insertWebhook(store);
      const other = await insertWebhook(store);
      let { audit_seq: auditSeq } = await readWebhook(store, id);
      const old = loginText(one, 1);
      await insertLoginRows(store, [old.text]);
      await setPlaces(id, [{ chain: one, seq: 1, id: old.id }]);
      const logins = [
        loginText(two, 1),
        loginText(one, 2),
        loginText(two, 2),
        loginText(one, 3),
        loginText(two, 3),
      ];
      const [, , rejected, , swept] = logins;
      for (const login of logins)
        if (login !== rejected) await insertLoginRows(store, [login.text]);
        else await insertRejectedRecord(store, login.text, 'refused');
      await store.deleteFrom('login_log').where('id', '=', String(swept?.id)).execute();
      await setPlaces(other, [
        { chain: one, seq: 3, id: String(logins[3]?.id) },
        { chain: two, seq: 1, id: String(logins[0]?.id) },
      ]);
      const changes = [await insertAudit(store), await insertAudit(store), await insertAudit(store)];
      await sql`delete from audit_log where id = ${changes[1]}`.execute(store);
      const told: string[] = [];
      let [gone, turns, isMore] = [0, 0, true];
      while (isMore && turns < 20) {
        const stretch = await readLogRange(store, { id, auditSeq }, { limit, withLogins: true });
        told.push(...stretch.events.map((event) => event.id));
        await setPlaces(id, stretch.positions);
        [auditSeq, gone, isMore] = [stretch.auditSeq, gone + stretch.gone, stretch.isMore];
        turns += 1;
      }
      const left = logins.filter((login) => login !== swept).map((login) => login.id);
      expect(told.filter((each) => left.includes(each))).toEqual(left);
      expect(told.filter((each) => !left.includes(each))).toEqual([changes[0], changes[2]]);
      expect([gone, turns < 20]).toEqual([2, true]);
      expect(await readLogRange(store, { id, auditSeq }, { limit, withLogins: true })).toMatchObject({
        ...{ events: [], positions: [], gone: 0, auditSeq, isMore: false },
      });
    },
  );
});

it.each<[what: string, changes: number, logins: number, isMore: boolean]>([
  ['both logs have less than fits', 1, 1, false],
  ['the audit log has more', 2, 0, true],
  ['the login log has more', 0, 2, true],
])('returns whether there is more where %s', async (_what, changes, logins, isMore) => {
  const { store } = database;
  await store.deleteFrom('login_log_chains').execute();
  const id = await insertWebhook(store);
  const chain = randomUUID();
  for (let n = 0; n < changes; n += 1) await insertAudit(store);
  for (let n = 1; n <= logins; n += 1) await insertLoginRows(store, [loginText(chain, n).text]);
  const { audit_seq: auditSeq } = await readWebhook(store, id);
  const stretch = await readLogRange(store, { id, auditSeq }, { limit: 2, withLogins: true });
  expect([stretch.events.length, stretch.isMore]).toEqual([changes + logins, isMore]);
});

it('delivers nothing that is stored after the end of its chain was read', async () => {
  const { store } = database;
  await store.deleteFrom('login_log_chains').execute();
  const id = await insertWebhook(store);
  const chain = randomUUID();
  const [one, two, three, four] = [1, 2, 3, 4].map((seq) => loginText(chain, seq));
  for (const login of [one, two, three]) await insertLoginRows(store, [String(login?.text)]);
  await insertRejectedRecord(store, String(four?.text), 'refused');
  const read = async () => {
    const { audit_seq: auditSeq } = await readWebhook(store, id);
    const stretch = await readLogRange(store, { id, auditSeq }, { limit: 100, withLogins: true });
    return [stretch.events.map((event) => event.id), stretch.positions.map(({ seq }) => seq), stretch.gone];
  };
  expect(await read()).toEqual([[one, two, three, four].map((login) => login?.id), [4], 0]);
  await sql`update login_log_chains set seq = 2, id = ${two?.id}::uuid`.execute(store);
  expect(await read()).toEqual([[one?.id, two?.id], [2], 0]);
});

it('reads sixteen chains at a time, and reports more', async () => {
  const { store } = database;
  await store.deleteFrom('login_log_chains').execute();
  const id = await insertWebhook(store);
  for (let n = 0; n < 17; n += 1) await insertLoginRows(store, [loginText(randomUUID(), 1).text]);
  const { audit_seq: auditSeq } = await readWebhook(store, id);
  const stretch = await readLogRange(store, { id, auditSeq }, { limit: 100, withLogins: true });
  expect([stretch.events.length, stretch.isMore]).toEqual([16, true]);
});

it('reads the chain with new records, however many were delivered to their end', async () => {
  const { store } = database;
  await store.deleteFrom('login_log_chains').execute();
  const id = await insertWebhook(store);
  for (let n = 0; n < 40; n += 1) await insertLoginRows(store, [loginText(randomUUID(), 1).text]);
  await sql`insert into webhook_places (hook_id, chain, seq, id)
    select ${id}, chain, seq, id from login_log_chains`.execute(store);
  const latest = loginText(randomUUID(), 1);
  await insertLoginRows(store, [latest.text]);
  const { audit_seq: auditSeq } = await readWebhook(store, id);
  const stretch = await readLogRange(store, { id, auditSeq }, { limit: 100, withLogins: true });
  expect(stretch.events.map((event) => event.id)).toEqual([latest.id]);
});

it('finds the events of changes again, and no others', async () => {
  const { store } = database;
  const [one, other] = [await insertAudit(store), await insertAudit(store)];
  await insertAudit(store);
  const events = await readEvents(store, [other, one], []);
  expect([...events.keys()].toSorted()).toEqual([one, other].toSorted());
  const { rows } = await sql<{ seq: number }>`select seq from audit_log_chain where id = ${one}`.execute(
    store,
  );
  expect(events.get(one)).toMatchObject({
    log: 'audit',
    type: 'user.update',
    object: 'user 8',
    seq: rows[0]?.seq,
  });
});

it('notes the end of a chain in the database, and no record without a chain', async () => {
  const { store } = database;
  const chain = randomUUID();
  const noted = async () =>
    (await sql`select first_seq, seq, id from login_log_chains where chain = ${chain}`.execute(store)).rows;
  const [first, second, late] = [loginText(chain, 4), loginText(chain, 6), loginText(chain, 5)];
  await insertLoginRows(store, [first.text, second.text]);
  const reached = [{ first_seq: 4, seq: 6, id: second.id }];
  expect(await noted()).toEqual(reached);
  await insertRejectedRecord(store, late.text, 'refused');
  expect(await noted()).toEqual(reached);
  const before = await sql`select from login_log_chains`.execute(store);
  await insertLoginRows(store, [loginText(null, null).text]);
  expect((await sql`select from login_log_chains`.execute(store)).rows).toHaveLength(before.rows.length);
});
