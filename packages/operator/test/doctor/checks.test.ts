// Single checks of `portcullis doctor`, on a database or on settings alone.
import { randomBytes } from 'node:crypto';
import { createSealedSecrets } from '@portcullis/server/base/secrets/sealed-secrets.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { insertWebhook } from '../../../server/test/people/webhooks/webhook-world.ts';
import type { Check, CheckInput, Finding } from '../../src/doctor/check.ts';
import { lintRoom } from '../../src/doctor/login-log-checks.ts';
import { mailChecks } from '../../src/doctor/mail-checks.ts';
import { settingsChecks } from '../../src/doctor/settings-checks.ts';
import { webhookChecks } from '../../src/doctor/webhook-checks.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
beforeEach(async () => {
  await sql`delete from webhooks`.execute(database.store);
  await sql`delete from mails`.execute(database.store);
});
afterAll(() => database.drop());

/** What a check says of a input who has this. */
async function look(checks: readonly Check[], id: string, input: object): Promise<Finding> {
  const check = checks.find((one) => one.id === id);
  if (check === undefined) throw new Error(`There is no check ${id}.`);
  return await check.run(input as CheckInput);
}

describe('mail', () => {
  const checkMail = () =>
    look(mailChecks, 'mail', { store: database.store, config: { mail: { host: '', timeoutSeconds: 1 } } });
  const insertMail = (state: 'queued' | 'sent' | 'dead', age: string) =>
    sql`insert into mails (kind, state, created_at, ended_at) values
      ('password_reset', ${state}, now() - ${age}::interval, ${state === 'queued' ? null : sql`now() - ${age}::interval`})`.execute(
      database.store,
    );

  it('that was given up in the last week is a warning', async () => {
    await insertMail('dead', '6 days');
    await insertMail('dead', '8 days');
    expect(await checkMail()).toMatchObject({ status: 'warning', text: '1 given up in the last week' });
  });

  it('that was sent, or given up long ago, is no finding', async () => {
    await insertMail('dead', '8 days');
    await insertMail('sent', '1 day');
    expect(await checkMail()).toMatchObject({ status: 'well' });
  });

  it('that stays queued is a warning only where mail is sent', async () => {
    await insertMail('queued', '2 hours');
    expect(await checkMail()).toMatchObject({ status: 'well' });
  });
});

describe('the spool', () => {
  it('on a full disk is wrong, with little room a warning, with enough none', () => {
    expect(lintRoom(1, 64)).toMatchObject({
      status: 'wrong',
      text: '1 MiB free: the disk is full',
      remedies: [expect.stringContaining('Make room on that disk.')],
    });
    expect(lintRoom(2, 64)).toMatchObject({ status: 'warning', text: '2 MiB free, can grow to 64' });
    expect(lintRoom(64, 64)).toBeUndefined();
  });
});

describe('webhooks', () => {
  const [key, previous] = [randomBytes(32), randomBytes(32)];
  async function insert(kinds: string[], sealedBy: Buffer = key): Promise<number> {
    const id = await insertWebhook(database.store, { kinds });
    const sealed_secret = createSealedSecrets('webhook', [sealedBy]).seal(id, Buffer.from('secret'));
    await database.store.updateTable('webhooks').set({ sealed_secret }).where('id', '=', id).execute();
    return id;
  }
  const checkWebhooks = (loginLogEnabled: boolean, sealingKeys: readonly Buffer[] = [key]) =>
    look(webhookChecks, 'webhooks', { store: database.store, config: { loginLogEnabled }, sealingKeys });

  it('for logins that are not recorded are a warning', async () => {
    const id = await insert(['role.*', 'login.failure']);
    await insert(['role.*']);
    expect(await checkWebhooks(false)).toMatchObject({
      status: 'warning',
      text: `no login events for webhook ${id}`,
    });
    expect(await checkWebhooks(true)).toMatchObject({ status: 'well', text: '2, without dead letters' });
  });

  it('whose secret the previous master key opens are a warning, and those that cannot be decrypted are wrong', async () => {
    const id = await insert([], previous);
    expect(await checkWebhooks(true, [key, previous])).toMatchObject({
      status: 'warning',
      text: `the secrets of webhook ${id} are encrypted with the previous master key`,
    });
    expect(await checkWebhooks(true)).toMatchObject({
      status: 'wrong',
      text: `the secrets of webhook ${id} cannot be decrypted`,
    });
  });

  it('that were ended are not looked at', async () => {
    const id = await insert([], previous);
    await sql`update webhooks set ended_at = now() where id = ${id}`.execute(database.store);
    expect(await checkWebhooks(true)).toMatchObject({ status: 'well', text: 'none' });
  });
});

describe.each([
  ['ops-listener', (host: string) => ({ config: { ops: { host, port: 9100 } } })],
  [
    'decision-listener',
    (host: string) => ({
      problems: { decision: [] },
      config: { decision: { host, port: 8001, secrets: ['a secret'] } },
    }),
  ],
] as const)('the check %s', (id, patientOf) => {
  it.each(['0.0.0.0', '::', ''])('warns of a listener on every address: %j', async (host) => {
    expect(await look(settingsChecks, id, patientOf(host))).toMatchObject({ status: 'warning' });
  });

  it.each(['127.0.0.1', '::1', '10.0.0.5'])('is well with a listener on %s', async (host) => {
    expect(await look(settingsChecks, id, patientOf(host))).toMatchObject({ status: 'well' });
  });
});
