// Codes that are good once: whose they are, and until when.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { StoreTransaction } from '../../../../src/cluster/store/store.ts';
import {
  closeEnrolment,
  countCodes,
  isEnrolmentOpen,
  openEnrolment,
  replaceCodes,
  spendCode,
  sweepEnrolments,
} from '../../../../src/sign-in/mfa/recovery/code-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());
beforeEach(() => sql`truncate recovery_codes, enrolment_codes`.execute(database.store));

const [mei, kim] = [7, 8];
const [one, two] = [randomBytes(32), randomBytes(32)];
const write = <T>(work: (transaction: StoreTransaction) => Promise<T>) =>
  database.store.transaction().execute(work);
const replace = (userId: number, hashes: readonly Buffer[]) =>
  write((transaction) => replaceCodes(transaction, userId, hashes));
const counts = () => Promise.all([mei, kim].map((userId) => countCodes(database.store, userId)));

it('replaces the recovery codes of the user alone, also by none', async () => {
  await replace(mei, [one, two]);
  await replace(kim, [one]);
  expect(await counts()).toEqual([2, 1]);
  await replace(kim, [one, two]);
  expect(await counts()).toEqual([2, 2]);
  await replace(mei, []);
  expect(await counts()).toEqual([0, 2]);
});

it('spends a code of the user once, and does not count it afterwards', async () => {
  const { store } = database;
  await replace(mei, [one, two]);
  await replace(kim, [one]);
  expect(await spendCode(store, mei, randomBytes(32))).toBe(false);
  expect(await spendCode(store, mei, one)).toBe(true);
  expect(await counts()).toEqual([1, 1]);
  expect(await spendCode(store, mei, one)).toBe(false);
  expect(await spendCode(store, kim, two)).toBe(false);
  expect(await counts()).toEqual([1, 1]);
});

it('opens one enrolment of the user by the last code, until it expires or is closed', async () => {
  const { store } = database;
  const isOpen = (userId: number, hash: Buffer) => isEnrolmentOpen(store, userId, hash);
  const open = (userId: number, hash: Buffer, inSeconds: number) =>
    write((transaction) => openEnrolment(transaction, userId, hash, new Date(Date.now() + inSeconds * 1000)));
  await open(mei, one, 3600);
  expect(await Promise.all([isOpen(mei, one), isOpen(mei, two), isOpen(kim, one)])).toEqual([
    true,
    false,
    false,
  ]);
  await open(mei, two, 3600);
  await open(kim, one, -1);
  expect(await Promise.all([isOpen(mei, one), isOpen(mei, two), isOpen(kim, one)])).toEqual([
    false,
    true,
    false,
  ]);
  await sweepEnrolments(store);
  const { rows } = await sql`select user_id::int from enrolment_codes`.execute(store);
  expect(rows).toEqual([{ user_id: mei }]);
  await open(kim, one, 3600);
  await write((transaction) => closeEnrolment(transaction, mei));
  expect(await Promise.all([isOpen(mei, two), isOpen(kim, one)])).toEqual([false, true]);
});
