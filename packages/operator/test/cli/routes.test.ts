// `portcullis routes` on a real database.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogLimits } from '@portcullis/contract';
import { readRoutes, replaceRoutes } from '@portcullis/server/permissions/catalog/catalog-store.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

let database: FreshDatabase;
let folder: string;

beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  folder = await mkdtemp(join(tmpdir(), 'routes-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await database.store.deleteFrom('catalog').execute();
  await database.store.deleteFrom('rules').execute();
  await sql`truncate audit_log`.execute(database.store);
});

const run = (command: readonly string[], url = database.url) =>
  performCommand(['routes', ...command], { url });
async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}
const stored = async () =>
  (await readRoutes(database.store, {})).map(({ service, method, path }) => `${service} ${method} ${path}`);

const recorded = async () => {
  const records = await database.store.selectFrom('audit_log').select(['action', 'actor_name']).execute();
  return records.map(({ action, actor_name }) => {
    expect(actor_name).toMatch(/^command line: /);
    return action;
  });
};

/** What the document below has. */
const store = (service: string) =>
  database.store.transaction().execute((transaction) =>
    replaceRoutes(transaction, service, [
      { method: 'GET', path: '/api/v1/orders', title: 'List orders', tag: 'Orders' },
      { method: 'DELETE', path: '/api/v1/orders/:id', title: 'deleteOrder', tag: null },
    ]),
  );

const yaml = `
openapi: 3.0.3
servers: [{ url: https://example.com/api/v1/ }]
paths:
  /orders:
    get: { summary: List orders, tags: [Orders] }
    head: {}
  /orders/{id}:
    delete: { operationId: deleteOrder }
  /orders/{id}.{format}:
    get: {}
`;

describe('an import', () => {
  it.each([
    ['of a file that is not there', 'none.yaml', undefined, [], /ENOENT.*Check its name/],
    ['of half a document', 'half.json', '{"openapi":', [], /cannot be read/],
    ['with a prefix that is none', 'orders.yaml', yaml, ['--prefix', 'api'], /prefix/],
    ['of a file above the limit', 'large.yaml', '#'.repeat(catalogLimits.documentBytes + 1), [], /split/],
  ])('%s says what to do, and changes nothing', async (_what, name, text, options, reason) => {
    const path = text === undefined ? join(folder, name) : await file(name, text);
    const { code, stdout, stderr } = await run(['import', path, '--service', 'orders', ...options]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Nothing was imported from /);
    expect(stderr).toMatch(reason);
    expect(await stored()).toEqual([]);
  });

  it('of a service with the name of this one is refused', async () => {
    const path = await file('orders.yaml', yaml);
    const { code, stderr } = await run(['import', path, '--service', 'portcullis']);
    expect(code).toBe(64);
    expect(stderr).toMatch(/--service.*`portcullis` is taken/);
  });

  it('into a database without tables says what to run', async () => {
    const empty = await createFreshDatabase({ migrated: false });
    try {
      const path = await file('orders.yaml', yaml);
      const { code, stderr } = await run(['import', path, '--service', 'orders'], empty.url);
      expect(code).toBe(1);
      expect(stderr).toBe('The database lacks tables. Run `portcullis migrate` first.\n');
    } finally {
      await empty.drop();
    }
  });

  it('says what it added, removed, kept and skipped; a dry run says the same and changes nothing', async () => {
    const path = await file('orders.yaml', yaml);
    const lines = [
      'orders, with /api/v1 in front of every path:',
      'Added: 2',
      '  GET     /api/v1/orders',
      '  DELETE  /api/v1/orders/:id',
      'Removed: 0',
      'Kept: 0',
      'Skipped: 2',
      '  HEAD  /orders                Rules are for GET, POST, PUT, PATCH, DELETE.',
      '  GET   /orders/{id}.{format}  A segment has a parameter beside other text, or one that can be several segments.',
      '',
    ];
    const dry = await run(['import', path, '--service', 'orders', '--dry-run']);
    expect(dry.stdout).toBe(
      [...lines.slice(0, -1), 'Nothing was changed. Leave out --dry-run to import.', ''].join('\n'),
    );
    expect(await stored()).toEqual([]);
    const done = await run(['import', path, '--service', 'orders']);
    expect(done).toEqual({ code: 0, stdout: lines.join('\n'), stderr: '' });
    expect(await stored()).toEqual(['orders GET /api/v1/orders', 'orders DELETE /api/v1/orders/:id']);
    expect(await recorded()).toEqual(['catalog.import']);

    const moved = await run(['import', path, '--service', 'orders', '--prefix', '/']);
    expect(moved.stdout).toContain('Removed: 2\n');
    expect(await stored()).toEqual(['orders GET /orders', 'orders DELETE /orders/:id']);
  });
});

describe('what is stored', () => {
  it('is listed, and can be removed', async () => {
    await store('orders');
    await store('shop');
    expect((await run(['list', '--service', 'orders'])).stdout).toBe(
      [
        'Service  Method  Path                Tag     Title',
        'orders   GET     /api/v1/orders      Orders  List orders',
        'orders   DELETE  /api/v1/orders/:id  -       deleteOrder',
        '',
      ].join('\n'),
    );
    expect((await run(['remove', '--service', 'shop'])).stdout).toBe('Removed 2 routes of shop.\n');
    expect(await stored()).toHaveLength(2);
    expect(await recorded()).toEqual(['catalog.remove']);
    expect(await run(['remove', '--service', 'shop'])).toMatchObject({
      code: 1,
      stderr: 'shop has no routes. `portcullis routes list` shows which services have some.\n',
    });
  });

  it('is reported on', async () => {
    await store('orders');
    await database.store
      .insertInto('rules')
      .values([
        { role_id: 2, method: 'GET', path: '/api/v1/orders' },
        { role_id: 2, method: 'GET', path: '/api/v1/ordres' },
        { role_id: 2, method: 'GET', path: '/\u001b[31m' },
      ])
      .execute();
    const { code, stdout } = await run(['report', '--limit', '1000']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Routes that only admin can call: \d+\n/);
    expect(stdout).toMatch(/\n {2}orders +DELETE +\/api\/v1\/orders\/:id +deleteOrder\n/);
    expect(stdout).not.toMatch(/orders +GET +\/api\/v1\/orders\b/);
    expect(stdout).toMatch(/\nRules that match no route: 2\n {2}editor {2}GET {2}\/\?\[31m\n/);
    expect(stdout).toContain('  editor  GET  /api/v1/ordres\n');
  });
});
