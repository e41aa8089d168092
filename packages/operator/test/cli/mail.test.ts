// Invitations, addresses and the queue of mails at the command line, on a real database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const page = { MAIL_PASSWORD_PAGE: 'https://admin.example.com/console/new-password' };
const server = { ...page, MAIL_HOST: '127.0.0.1', MAIL_FROM: 'portcullis@example.com' };
const run = (command: readonly string[], environment: Record<string, string> = page) =>
  performCommand(command, { url: database.url, environment });

describe('an invitation', () => {
  it('is refused where links have no page, with what to do', async () => {
    const { code, stderr } = await run(['user', 'invite', 'mei'], {});
    expect([code, stderr]).toEqual([1, expect.stringContaining('mail.passwordPage')]);
  });

  it('is shown once without mail, and goes out by mail where there is an address', async () => {
    const options = ['--role', 'editor', '--department', '1', '--invite'];
    const shown = await run(['user', 'create', 'ann', ...options]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/new-password#[\w-]{65}\n/) });
    expect(shown.stdout).not.toContain('password is shown once');
    const mailed = await run(['user', 'create', 'bea', ...options, '--mail', 'bea@example.com'], server);
    expect(mailed).toMatchObject({ code: 0, stdout: expect.stringContaining('by mail') });
    expect(mailed.stdout).not.toContain('#');
    const list = await run(['mail', 'list', '--json']);
    expect(JSON.parse(list.stdout)).toMatchObject({
      items: [{ username: 'bea', kind: 'invitation', state: 'queued' }],
    });
  });
});

describe('an address', () => {
  it('is refused where another user has it, and where it is malformed', async () => {
    expect((await run(['user', 'mail', 'mei', 'BEA@example.com'])).stderr).toContain('Another user');
    expect((await run(['user', 'mail', 'mei', 'a@example.com,b@example.com'])).code).toBe(64);
  });

  it('is set, shown and taken away', async () => {
    expect((await run(['user', 'mail', 'mei', 'mei@example.com'])).stdout).toContain(
      'goes to mei@example.com',
    );
    expect((await run(['user', 'show', 'mei'])).stdout).toContain('mei@example.com');
    expect((await run(['user', 'mail', 'mei'])).stdout).toContain('no address');
  });
});

describe('a mail', () => {
  it('is tried again by its id; one that is not there is not', async () => {
    const { items } = JSON.parse((await run(['mail', 'list', '--json'])).stdout) as {
      items: { id: string }[];
    };
    const [{ id } = { id: '' }] = items;
    await database.store.updateTable('mails').set({ state: 'dead', reason: '550' }).execute();
    expect((await run(['mail', 'list', '--state', 'dead'])).stdout).toContain('550');
    expect(await run(['mail', 'retry', id])).toMatchObject({ code: 0 });
    expect((await run(['mail', 'retry', '00000000-0000-4000-8000-000000000000'])).code).toBe(1);
    const [row] = await database.store.selectFrom('mails').select('state').execute();
    expect(row?.state).toBe('queued');
  });
});
