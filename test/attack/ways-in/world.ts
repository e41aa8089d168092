// One service for a file of attacks, and beside it on the same database a careless one that lets them succeed.
import { afterAll, beforeAll } from 'vitest';
import { type Answer, createHttpClient, type HttpClient } from '../../rig/http-client.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import type { Service } from '../../rig/start-service.ts';
import { useService } from '../../rig/use-service.ts';
import { patience } from '../size.ts';
import { createSteps, type Steps } from './people.ts';

export interface World {
  readonly service: Service;
  readonly steps: Steps;
  /** Those of the careless service. */
  readonly careless: Steps;
  readonly carelessServer: Server;
  /** A role that demands a second factor, and one that demands nothing. */
  readonly strict: Role;
  readonly lax: Role;
  /** As the administrator; throws where it is refused. */
  byAdmin(method: string, path: string, body?: object): Promise<Answer>;
  addRole(factor?: number): Promise<Role>;
}

export interface Role {
  readonly id: number;
  readonly key: string;
}

interface WorldOptions {
  readonly settings?: Readonly<Record<string, string>>;
}

export function useWorld({ settings }: WorldOptions = {}): () => World {
  const service = useService({ mode: 'prod', ...(settings && { settings }) });
  let world: World | undefined;
  let client: HttpClient | undefined;
  beforeAll(async () => {
    const { database, send } = service();
    const carelessServer = await startServer({
      databaseUrl: database.url,
      settings: { APPLICATION_MODE: 'prod', ...patience, ...settings },
      script: 'test/attack/ways-in/careless-service.ts',
    });
    client = createHttpClient(carelessServer.port, { remembers: false, resends: true });
    const authorization = `Bearer ${await service().tokenOf('ada')}`;
    const byAdmin: World['byAdmin'] = async (method, path, body) => {
      const request = { method, path: `/api/v1${path}`, headers: { authorization } };
      const answer = await send({ ...request, ...(body && { body }) });
      if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer;
    };
    let roles = 0;
    async function addRole(factor = 1): Promise<Role> {
      roles += 1;
      const key = `role${roles}`;
      const { body } = await byAdmin('POST', '/roles', { roleKey: key, name: key, dataScope: '5' });
      const { id } = body.data as { id: number };
      // Passkeys are off here, and a role demands one all the same.
      if (factor > 1) await database.query('update roles set factor = $2 where id = $1', [id, factor]);
      return { id, key };
    }
    world = {
      service: service(),
      steps: createSteps(database, send),
      careless: createSteps(database, client.send),
      carelessServer,
      strict: await addRole(2),
      lax: await addRole(),
      byAdmin,
      addRole,
    };
  });
  afterAll(async () => {
    client?.close();
    await world?.carelessServer.stop();
  });
  return () => {
    if (world === undefined) throw new Error('The service has not started yet.');
    return world;
  };
}
