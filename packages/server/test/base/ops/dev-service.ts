// The whole service in this process, in dev on a separate database.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../../src/base/settings/config.ts';
import { composePortcullis } from '../../../src/compose/portcullis.ts';
import { createFreshDatabase } from '../../fresh-database.ts';

export type DevService = Awaited<ReturnType<typeof startDevService>>;

export async function startDevService(environment: Readonly<Record<string, string>> = {}) {
  const database = await createFreshDatabase();
  const spoolFolder = join(tmpdir(), `portcullis-${randomBytes(6).toString('hex')}`);
  const config = loadConfig({
    environment: {
      DATABASE_URL: database.url,
      APPLICATION_MODE: 'dev',
      APPLICATION_PORT: '0',
      OPS_PORT: '0',
      DECISION_PORT: '0',
      LOGGER_SPOOL_FOLDER: spoolFolder,
      ...environment,
    },
  });
  const service = await composePortcullis({ config, logger: pino({ level: 'silent' }) });
  const { port, opsPort, decisionPort } = await service.listen();
  const { username, password: firstPassword } = service.firstAdministrator ?? { username: '', password: '' };
  const send = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return {
    username,
    opsPort,
    decisionPort,
    send,
    async logIn(password = firstPassword, headers: Record<string, string> = {}): Promise<string> {
      const answer = await send('/api/v1/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ username, password }),
      });
      return ((await answer.json()) as { token?: string }).token ?? '';
    },
    async stop() {
      await service.close(0);
      await database.drop();
      await rm(spoolFolder, { recursive: true, force: true });
    },
  };
}
