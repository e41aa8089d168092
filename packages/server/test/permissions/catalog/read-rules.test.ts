import { compile, parseRule, splitRuleText } from '@portcullis/policy';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RuleMemory, readRules } from '../../../src/permissions/catalog/read-rules.ts';
import { listRuledRoles } from '../../../src/permissions/catalog/role-rule-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await seedDirectory(store);
  await store
    .insertInto('rules')
    .values([
      { role_id: 2, method: 'GET', path: '/stored' },
      { role_id: 2, method: 'get', path: '/broken' },
      { role_id: 3, method: 'GET', path: '/former' },
    ])
    .execute();
});
afterAll(() => database.drop());

/** The editor is known, with these paths. */
function memoryOf(...paths: string[]): RuleMemory {
  const parsed = paths.map((path) => parseRule({ roleKey: 'editor', method: 'GET', path }));
  const lasting = compile(
    parsed.flatMap((each) => ('rule' in each ? [each.rule] : [])),
    1,
  );
  return {
    rules: { lasting },
    roles: { find: (id) => (id === 2 ? { id, roleKey: 'editor', dataScope: '1' } : undefined) },
    current: { revision: { n: Number.MAX_SAFE_INTEGER, mark: '' } },
  };
}

async function pathsWith(memory: RuleMemory | undefined): Promise<string[]> {
  const { store } = database;
  const rules = await readRules({ store, memory, roles: await listRuledRoles(store) });
  return rules
    .flatMap(({ roleKey, texts }) => texts.map((text) => `${roleKey} ${splitRuleText(text).path}`))
    .sort();
}

it('are read from Postgres without a memory', async () => {
  expect(await pathsWith(undefined)).toEqual(['editor /broken', 'editor /stored', 'former /former']);
});

it('are read from Postgres where memory has left one out that does not parse', async () => {
  expect(await pathsWith(memoryOf('/stored'))).toEqual([
    'editor /broken',
    'editor /stored',
    'former /former',
  ]);
});

it('are those of memory where it has as many', async () => {
  expect(await pathsWith(memoryOf('/held', '/too'))).toEqual([
    'editor /held',
    'editor /too',
    'former /former',
  ]);
});
