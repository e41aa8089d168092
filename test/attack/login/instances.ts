// Four instances on one database, to which many send at once.
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../rig/create-database.ts';
import { type Answer, createHttpClient, type HttpClient } from '../../rig/http-client.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import { cheapHashes, createSeededDatabase } from '../login-log/instance.ts';
import { patience } from '../size.ts';

export const instances = 4;
/** How many guesses are verified before a caller has to wait. */
export const limit = 5;

export interface Instances {
  readonly database: Database;
  readonly clients: readonly HttpClient[];
  /** Logins, each to the next instance. */
  logInAtOnce(bodies: readonly object[]): Promise<Answer[]>;
}

export function useInstances(): () => Instances {
  let started: Instances | undefined;
  let servers: Server[] = [];
  beforeAll(async () => {
    const database = await createSeededDatabase();
    // So many hashes at once that every attempt has a slot, and what is looked at decides alone.
    const settings = {
      ...patience,
      ...cheapHashes,
      APPLICATION_MODE: 'dev',
      THROTTLE_FAILURES_BEFORE_DELAY: String(limit),
      HASH_CONCURRENCY: '16',
    };
    servers = await Promise.all(
      Array.from({ length: instances }, () => startServer({ databaseUrl: database.url, settings })),
    );
    const clients = servers.map(({ port }) => createHttpClient(port, { remembers: false, resends: true }));
    started = {
      database,
      clients,
      logInAtOnce: (bodies) =>
        Promise.all(
          bodies.map((body, index) =>
            (clients[index % instances] as HttpClient).send({ method: 'POST', path: '/api/v1/login', body }),
          ),
        ),
    };
  });
  afterAll(async () => {
    for (const client of started?.clients ?? []) client.close();
    await Promise.all(servers.map((server) => server.stop()));
    await started?.database.drop();
  });
  return () => {
    if (started === undefined) throw new Error('The instances have not started yet.');
    return started;
  };
}
