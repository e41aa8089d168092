// The whole service with its listener for decisions, on a database with a few people, roles and rules.
import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { pino } from 'pino';
import { loadConfig } from '../../../src/base/settings/config.ts';
import { composePortcullis } from '../../../src/compose/portcullis.ts';
import { createFreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

export const secret = randomBytes(32).toString('hex');
const password = 'World-password-4711';

/**
 * That of `seedDirectory`, with rules of `editor` and `former`; and users 9 `otto`, whose role is disabled, 10 `dora`, who
 * is disabled, 11 `dele`, who is deleted, and 12 `ada`, an administrator.
 */
export async function startDecisionWorld() {
  const database = await createFreshDatabase();
  const { store } = database;
  await seedDirectory(store);
  const passwordHash = await hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  await store.updateTable('users').set({ password_hash: passwordHash }).execute();
  await store
    .insertInto('users')
    .values(
      [
        { id: 9, username: 'otto', role_id: 3 },
        { id: 10, username: 'dora', role_id: 2, enabled: false },
        { id: 11, username: 'dele', role_id: 2, deleted_at: new Date() },
        { id: 12, username: 'ada', role_id: 1 },
      ].map((user) => ({
        ...user,
        canonical_username: user.username,
        department_id: 1,
        password_hash: passwordHash,
      })),
    )
    .execute();
  await store
    .insertInto('rules')
    .values([
      { role_id: 2, method: 'GET', path: '/api/v1/orders' },
      { role_id: 2, method: '*', path: '/api/v1/orders/:id' },
      { role_id: 3, method: 'GET', path: '/api/v1/orders' },
    ])
    .execute();
  const portcullis = await composePortcullis({
    logger: pino({ level: 'silent' }),
    config: loadConfig({
      environment: {
        DATABASE_URL: database.url,
        APPLICATION_MODE: 'dev',
        APPLICATION_PORT: '0',
        OPS_PORT: '0',
        DECISION_PORT: '0',
        DECISION_SECRET: secret,
        LOGGER_ENABLEDDB: 'false',
      },
    }),
  });
  const { port, decisionPort } = await portcullis.listen();
  return {
    store,
    origin: `http://127.0.0.1:${decisionPort}`,
    async logIn(username: string): Promise<string> {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password }),
      });
      return String(((await response.json()) as { token?: string }).token);
    },
    async call(method: string, path: string, token: string, body: object = {}) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { code: number };
    },
    async stop() {
      await portcullis.close(0);
      await database.drop();
    },
  };
}
