// One service for a file of attacks, and beside it on the same database a careless one that lets them succeed. Each file of
// this folder brings a careless service of its own, its threats as a section of ../threats.ts, and nothing that others need.
import { afterAll, beforeAll } from 'vitest';
import { type Answer, createHttpClient, type HttpClient } from '../../rig/http-client.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import type { Service } from '../../rig/start-service.ts';
import { useService } from '../../rig/use-service.ts';
import { patience } from '../size.ts';

export interface Pair {
  readonly service: Service;
  readonly careless: { readonly server: Server; readonly send: HttpClient['send'] };
  /** As the administrator; throws where it is refused. */
  byAdmin(method: string, path: string, body?: object): Promise<Answer>;
}

interface PairOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** A script that runs the service with `runCarelessly`. */
  readonly carelessScript: string;
}

export function usePair({ settings, carelessScript: script }: PairOptions): () => Pair {
  const service = useService({ mode: 'prod', ...(settings && { settings }) });
  let pair: Pair | undefined;
  let client: HttpClient | undefined;
  beforeAll(async () => {
    const { database, send } = service();
    const server = await startServer({
      databaseUrl: database.url,
      settings: { APPLICATION_MODE: 'prod', ...patience, ...settings },
      script,
    });
    client = createHttpClient(server.port, { remembers: false, resends: true });
    const authorization = `Bearer ${await service().tokenOf('ada')}`;
    const byAdmin: Pair['byAdmin'] = async (method, path, body) => {
      const request = { method, path: `/api/v1${path}`, headers: { authorization } };
      const answer = await send({ ...request, ...(body && { body }) });
      if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer;
    };
    pair = { service: service(), careless: { server, send: client.send }, byAdmin };
  });
  afterAll(async () => {
    client?.close();
    await pair?.careless.server.stop();
  });
  return () => {
    if (pair === undefined) throw new Error('The service has not started yet.');
    return pair;
  };
}
