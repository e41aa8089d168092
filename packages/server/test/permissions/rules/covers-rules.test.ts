import { compile, parseRule, type Rule } from '@portcullis/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithin } from '../../../src/base/values/is-within.ts';
import { createYielding } from '../../../src/base/values/yielding.ts';
import { createCoversRules } from '../../../src/permissions/rules/covers-rules.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

function rule(text: string, roleKey = 'giver'): Rule {
  const [method = '', path = ''] = text.split(' ');
  const parsed = parseRule({ roleKey, method, path });
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.rule;
}
const reachOf = (rules: readonly Rule[], mostMilliseconds?: number) =>
  createCoversRules({
    rules: { lasting: compile(rules, 1) },
    turns: createYielding({
      monotonic: () => performance.now(),
      ...(mostMilliseconds === undefined ? {} : { mostMilliseconds }),
    }),
  });

describe('a role', () => {
  const { mayDo } = reachOf([rule('GET /a/*'), rule('PUT /b')]);

  it('may not do what one of the rules allows beyond its own', async () => {
    expect(await mayDo('giver', [rule('GET /a/:x'), rule('POST /b')])).toBe(false);
    expect(await mayDo('unknown', [rule('GET /a/:x')])).toBe(false);
  });

  it('covers the calls that its own rules allow, and every invalid rule', async () => {
    expect(await mayDo('giver', [rule('GET /a/:x'), { method: 'get', path: '/(.*)' }])).toBe(true);
    expect(await mayDo('unknown', [])).toBe(true);
  });

  it('is compared with the rules of another one as they are stored', async () => {
    const { store } = database;
    const { mayDoAll } = reachOf([rule('GET /a/*')]);
    const ask = () => store.transaction().execute((transaction) => mayDoAll(transaction, 'giver', 2));
    await store.insertInto('rules').values({ role_id: 2, method: 'GET', path: '/a/b' }).execute();
    expect(await ask()).toBe(true);
    await store.insertInto('rules').values({ role_id: 2, method: 'GET', path: '/b' }).execute();
    expect(await ask()).toBe(false);
  });

  it('is compared with the temporary rules of another one too', async () => {
    const { store } = database;
    const { mayDoAll } = reachOf([rule('GET /c')]);
    const ask = () => store.transaction().execute((transaction) => mayDoAll(transaction, 'giver', 3));
    expect(await ask()).toBe(true);
    const ends = { ends_at: new Date(Date.now() + 3_600_000), given_by: 'ada' };
    await store
      .insertInto('temporary_rules')
      .values({ role_id: 3, method: 'GET', path: '/d', ...ends })
      .execute();
    expect(await ask()).toBe(false);
  });
});

describe('under rules by which an answer takes milliseconds', () => {
  /** A literal or a parameter at each of ten places: a path of those literals is looked for in 1,024 ways. */
  const crafted = Array.from({ length: 1024 }, (_, mask) =>
    rule(`GET /${Array.from({ length: 10 }, (_, place) => ((mask >> place) & 1 ? ':x' : 'a')).join('/')}/z`),
  );
  const allowed = [...crafted, rule(`* ${'/:x'.repeat(11)}`)];
  const asked = Array.from({ length: 1000 }, (_, index) => ({
    method: '*',
    path: `${'/a'.repeat(10)}/${index}`,
  }));

  /** How often something else came while it was found out. */
  async function countLooks(work: Promise<unknown>): Promise<number> {
    let isWorking = true;
    void work.finally(() => {
      isWorking = false;
    });
    let count = 0;
    for (; isWorking; count += 1) await new Promise((resolve) => setImmediate(resolve));
    return count;
  }

  it('in one go everything else would wait for all of it', async () => {
    const snapshot = compile(allowed, 1);
    const work = Promise.resolve().then(() =>
      asked.slice(0, 100).every((each) => isWithin(snapshot, 'giver', each)),
    );
    expect(await countLooks(work)).toBeLessThanOrEqual(1);
    expect(await work).toBe(true);
  });

  it('yields to other work during a long answer', async () => {
    const answer = reachOf(allowed, 600_000).mayDo('giver', asked);
    const count = await countLooks(answer);
    expect(await answer).toBe(true);
    expect(count).toBeGreaterThan(5);
  });

  it('returns false when the answer takes too long', async () => {
    expect(await reachOf(allowed, 10).mayDo('giver', asked)).toBe(false);
  });
});
