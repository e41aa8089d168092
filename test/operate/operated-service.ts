// The real service in prod, on the real Postgres behind a line that can be cut. Its lease outlives a machine that stands
// still for a moment.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { createDatabase } from '../rig/create-database.ts';
import { type Answer, createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { password, seed } from '../rig/seed.ts';
import { startServer } from '../rig/start-server.ts';
import { startTcpProxy, type TcpProxy } from '../rig/tcp-proxy.ts';

export interface OperatedService {
  readonly line: TcpProxy;
  readonly opsPort: number;
  readonly send: HttpClient['send'];
  logIn(username: string, given?: { password?: string; code?: string }): Promise<Answer>;
  readMetrics(): Promise<string>;
  stop(): Promise<void>;
}

export async function startOperatedService(): Promise<OperatedService> {
  const database = await createDatabase({ migrated: true });
  await seed(database);
  const line = await startTcpProxy({ port: Number(new URL(database.url).port || 5432) });
  const anchors = await mkdtemp(join(tmpdir(), 'portcullis-anchors-'));
  const server = await startServer({
    databaseUrl: line.urlThrough(database.url),
    settings: { APPLICATION_MODE: 'prod', CLUSTER_LEASE_SECONDS: '10', LOGGER_ANCHOR_FOLDER: anchors },
  });
  const client = createHttpClient(server.port, { remembers: false, resends: true });
  return {
    line,
    opsPort: server.opsPort,
    send: client.send,
    async logIn(username, given = {}) {
      const uuid = String((await client.send({ path: '/api/v1/getCaptcha' })).body.id);
      await solveCaptcha(database, uuid);
      const body = { username, password, uuid, code: captchaAnswer, ...given };
      return await client.send({ method: 'POST', path: '/api/v1/login', body });
    },
    readMetrics: async () => await (await fetch(`http://127.0.0.1:${server.opsPort}/metrics`)).text(),
    async stop() {
      client.close();
      await server.stop();
      await line.close();
      await database.drop();
      await rm(anchors, { recursive: true });
    },
  };
}
