// The queue of mails over HTTP: another try is recorded with what was before, or does not happen.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRecordChange, type RecordChange } from '../../../src/logs/audit/record-change.ts';
import { mailRoutes } from '../../../src/people/mail/routes.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

async function retryDead(recordChange: RecordChange) {
  const { store } = database;
  const { id } = await store
    .insertInto('mails')
    .values({ kind: 'password_changed', user_id: 7, state: 'dead' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const served: ServedRoutes = serveRoutes(
    mailRoutes({ store, access: createAccessStandIn(store), recordChange, listDepartments: async () => [] }),
  );
  const { code } = await served.send('POST', `/mails/${id}/retry`);
  await served.close();
  const mail = await store.selectFrom('mails').select('state').where('id', '=', id).executeTakeFirst();
  const records = await store
    .selectFrom('audit_log')
    .select(['action', 'before', 'after'])
    .where('target', '=', `mail ${id}`)
    .execute();
  return { code, state: mail?.state, records, faults: served.faults };
}

it('another try is recorded with the state before', async () => {
  expect(await retryDead(createRecordChange())).toMatchObject({
    code: 200,
    state: 'queued',
    records: [{ action: 'mail.retry', before: { state: 'dead' }, after: { state: 'queued' } }],
    faults: [],
  });
});

it('another try that cannot be recorded does not happen', async () => {
  const fault = new Error('no record');
  const outcome = await retryDead(() => Promise.reject(fault));
  expect(outcome).toEqual({ code: 500, state: 'dead', records: [], faults: [fault] });
});
