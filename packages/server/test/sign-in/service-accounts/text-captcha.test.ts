import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCaptcha } from '../../../src/sign-in/login/captcha/captcha.ts';
import { createCaptchaStore } from '../../../src/sign-in/login/captcha/captcha-store.ts';
import { createTextCaptcha } from '../../../src/sign-in/service-accounts/text-captcha.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

const key = Buffer.alloc(32, 7);
let database: FreshDatabase;
let ofPrograms: ReturnType<typeof createTextCaptcha>;
let ofPeople: ReturnType<typeof createCaptcha>;
beforeAll(async () => {
  database = await createFreshDatabase();
  const store = createCaptchaStore(database.store);
  ofPrograms = createTextCaptcha({ store, key, randomBytes });
  const stock = { take: async () => ({ answer: 'K7WQP', picture: Buffer.of() }) };
  ofPeople = createCaptcha({ store, stock, key, randomBytes });
});
afterAll(() => database.drop());

it('takes neither a wrong text nor the right one after it', async () => {
  const { id, text } = await ofPrograms.issue();
  expect(await ofPrograms.isSolvedBy(id, text.toUpperCase())).toBe(text === text.toUpperCase());
  expect(await ofPrograms.isSolvedBy(id, text)).toBe(false);
});

it('takes no picture, and no picture takes a text', async () => {
  const [picture, written] = [await ofPeople.issue(), await ofPrograms.issue()];
  expect(await ofPrograms.isSolvedBy(picture.id, 'K7WQP')).toBe(false);
  expect(await ofPeople.isSolvedBy(written.id, written.text)).toBe(false);
  expect(await ofPrograms.isSolvedBy('no id', 'no text')).toBe(false);
});

it('takes the right text once, and it fits into the field of a code', async () => {
  const { id, text } = await ofPrograms.issue();
  expect(text).toMatch(/^[A-Za-z0-9_-]{16}$/);
  expect(await ofPrograms.isSolvedBy(id, text)).toBe(true);
  expect(await ofPrograms.isSolvedBy(id, text)).toBe(false);
});

it('is not issued where it cannot be kept', async () => {
  const fault = new Error('a fault');
  const store = { put: () => Promise.reject(fault), take: async () => undefined, sweep: async () => {} };
  await expect(createTextCaptcha({ store, key, randomBytes }).issue()).rejects.toBe(fault);
});

it('takes no id that the database could not read', async () => {
  expect(await ofPrograms.isSolvedBy(`${'A'.repeat(21)}\0`, 'text')).toBe(false);
});
