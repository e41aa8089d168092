import { createHmac, randomBytes } from 'node:crypto';
import { captchaAlphabet, drawCaptcha } from '@portcullis/captcha';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Captcha, createCaptcha } from '../../../../src/sign-in/login/captcha/captcha.ts';
import { createCaptchaStock } from '../../../../src/sign-in/login/captcha/captcha-stock.ts';
import { createCaptchaStore } from '../../../../src/sign-in/login/captcha/captcha-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';

const key = randomBytes(32);
const stockOf = (random: (size: number) => Buffer) =>
  createCaptchaStock({
    draw: async (answers) => answers.map((answer) => drawCaptcha(answer, Math.random)),
    randomBytes: random,
  });
let database: FreshDatabase;
let captcha: Captcha;

beforeAll(async () => {
  database = await createFreshDatabase({ poolSize: 10 });
  captcha = createCaptcha({
    store: createCaptchaStore(database.store),
    stock: stockOf(randomBytes),
    key,
    randomBytes,
  });
});
afterAll(() => database.drop());

/** A fresh captcha whose answer is overwritten in the store with a known one. */
async function issueKnown(answer = 'ABCDE', expiresInSeconds = 3600): Promise<string> {
  const { id } = await captcha.issue();
  await database.store
    .updateTable('captchas')
    .set({
      answer_hmac: createHmac('sha256', key).update(`${id}:${answer}`).digest(),
      expires_at: new Date(Date.now() + expiresInSeconds * 1000),
    })
    .where('id', '=', id)
    .execute();
  return id;
}
const stored = async (id: string) =>
  (await database.store.selectFrom('captchas').selectAll().where('id', '=', id).execute()).length;

describe('a captcha is not solved', () => {
  it('by a wrong answer, and then by the right one neither', async () => {
    const id = await issueKnown();
    expect(await captcha.isSolvedBy(id, 'WRONG')).toBe(false);
    expect(await captcha.isSolvedBy(id, 'ABCDE')).toBe(false);
  });

  it('a second time', async () => {
    const id = await issueKnown();
    expect(await captcha.isSolvedBy(id, 'ABCDE')).toBe(true);
    expect(await captcha.isSolvedBy(id, 'ABCDE')).toBe(false);
  });

  it('by more than one of 500 right answers at once', async () => {
    const id = await issueKnown();
    const outcomes = await Promise.all(Array.from({ length: 500 }, () => captcha.isSolvedBy(id, 'ABCDE')));
    expect(outcomes.filter((solved) => solved)).toHaveLength(1);
  });

  it('by the right answer among 100 at once when a wrong one came first', async () => {
    const id = await issueKnown();
    const answers = ['WRONG', ...Array.from({ length: 99 }, () => 'ABCDE')];
    const outcomes = await Promise.all(answers.map((answer) => captcha.isSolvedBy(id, answer)));
    expect(outcomes.filter((solved) => solved).length).toBeLessThanOrEqual(1);
    expect(await stored(id)).toBe(0);
  });

  it('after it has expired', async () => {
    const id = await issueKnown('ABCDE', -1);
    expect(await captcha.isSolvedBy(id, 'ABCDE')).toBe(false);
  });

  it('by the answer of another one', async () => {
    const [one, other] = [await issueKnown('ABCDE'), await issueKnown('FGHJK')];
    expect(await captcha.isSolvedBy(one, 'FGHJK')).toBe(false);
    expect(await captcha.isSolvedBy(other, 'ABCDE')).toBe(false);
  });

  it.each(['', ' ABCDE', 'ABCDE ', 'ABCDEF', 'ABCD', '\0', 'ＡＢＣＤＥ', 'ABCDE\n'])(
    'by %j',
    async (answer) => {
      expect(await captcha.isSolvedBy(await issueKnown(), answer)).toBe(false);
    },
  );

  it('under another master key', async () => {
    const id = await issueKnown();
    const stranger = createCaptcha({
      store: createCaptchaStore(database.store),
      stock: stockOf(randomBytes),
      key: randomBytes(32),
      randomBytes,
    });
    expect(await stranger.isSolvedBy(id, 'ABCDE')).toBe(false);
  });

  it.each([
    '',
    'x',
    'A'.repeat(21),
    'A'.repeat(23),
    `${'A'.repeat(21)}=`,
    `${'A'.repeat(21)}\0`,
    `${'A'.repeat(21)}\n`,
    `${'A'.repeat(22)}\n`,
    `${'A'.repeat(20)}'--`,
    '%'.repeat(22),
    'é'.repeat(22),
    '\ud800'.repeat(22),
    '__proto__',
    '../../../../etc/passwd',
  ])('when its id is %j, and the store is not asked', async (id) => {
    const failing = createCaptcha({
      store: {
        put: () => Promise.reject(new Error('asked')),
        take: () => Promise.reject(new Error('asked')),
        sweep: () => Promise.reject(new Error('asked')),
      },
      stock: stockOf(randomBytes),
      key,
      randomBytes,
    });
    expect(await failing.isSolvedBy(id, 'ABCDE')).toBe(false);
  });

  it('when its id was never issued', async () => {
    expect(await captcha.isSolvedBy(randomBytes(16).toString('base64url'), 'ABCDE')).toBe(false);
  });
});

describe('a captcha is solved', () => {
  it.each(['ABCDE', 'abcde', 'aBcDe'])('by %s, because case does not count', async (answer) => {
    expect(await captcha.isSolvedBy(await issueKnown(), answer)).toBe(true);
  });

  it('by what it was drawn with', async () => {
    const bytes = Buffer.from([0, 31, 32, 255, 7]);
    const random = (size: number) => (size === 5 ? bytes : randomBytes(size));
    const drawn = createCaptcha({
      store: createCaptchaStore(database.store),
      stock: stockOf(random),
      key,
      randomBytes: random,
    });
    const { id } = await drawn.issue();
    const answer = Array.from(bytes, (byte) => captchaAlphabet[byte % 32]).join('');
    expect(await drawn.isSolvedBy(id, answer)).toBe(true);
  });
});

describe('an issued captcha', () => {
  it('is a picture under an id of 128 random bits', async () => {
    const issued = await Promise.all(Array.from({ length: 20 }, () => captcha.issue()));
    expect(new Set(issued.map(({ id }) => id)).size).toBe(20);
    for (const { id, picture } of issued) {
      expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(picture.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    }
  });

  it('is stored without its answer, for two minutes', async () => {
    const before = Date.now();
    const { id } = await captcha.issue();
    const after = Date.now();
    const row = await database.store
      .selectFrom('captchas')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.answer_hmac).toHaveLength(32);
    // By the clock of the database, which a millisecond is rounded by.
    expect(row.expires_at.getTime()).toBeGreaterThanOrEqual(before + 120_000 - 1);
    expect(row.expires_at.getTime()).toBeLessThanOrEqual(after + 120_000 + 1);
  });

  it('that was spent or has expired leaves nothing behind', async () => {
    const store = createCaptchaStore(database.store);
    const [spent, expired, live] = [await issueKnown(), await issueKnown('ABCDE', -1), await issueKnown()];
    await captcha.isSolvedBy(spent, 'WRONG');
    await store.sweep();
    expect([await stored(spent), await stored(expired), await stored(live)]).toEqual([0, 0, 1]);
  });
});
