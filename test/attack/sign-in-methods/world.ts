// One service for a file of attacks, with roles that demand a second factor and roles that demand nothing.
import { beforeAll } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import type { Service } from '../../rig/start-service.ts';
import { useService } from '../../rig/use-service.ts';
import { createSteps, type Steps } from './people.ts';

export interface World {
  readonly service: Service;
  readonly steps: Steps;
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
  beforeAll(async () => {
    const { database, send } = service();
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
      strict: await addRole(2),
      lax: await addRole(),
      byAdmin,
      addRole,
    };
  });
  return () => {
    if (world === undefined) throw new Error('The service has not started yet.');
    return world;
  };
}
