// Users as an import from an older product leaves them: with a bcrypt hash, or with one that is weaker than ours.
import { hash } from '@node-rs/argon2';
import { hashSync } from 'bcryptjs';
import { createDatabase, type Database } from '../../rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../../rig/http-client.ts';
import { addUser, seed } from '../../rig/seed.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import { patience } from '../size.ts';

export const bcrypt = (password: string, cost = 10) => hashSync(password, cost);
export const weakArgon2 = (password: string) =>
  hash(password.normalize('NFC'), { memoryCost: 64, timeCost: 1, parallelism: 1 });

export async function readHash(database: Database, username: string): Promise<string> {
  const [row] = await database.query<{ password_hash: string }>(
    'select password_hash from users where username = $1',
    [username],
  );
  return row?.password_hash ?? '';
}

export interface ImportedWorld {
  readonly database: Database;
  readonly server: Server;
  readonly client: HttpClient;
  stop(): Promise<void>;
}

/** A service that finds these users when it starts. */
export async function startWithUsers(
  hashes: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>>,
): Promise<ImportedWorld> {
  const database = await createDatabase({ migrated: true });
  await seed(database);
  for (const [username, passwordHash] of Object.entries(hashes))
    await addUser(database, { username, role: 'guest', passwordHash });
  const server = await startServer({ databaseUrl: database.url, settings: { ...patience, ...settings } });
  const client = createHttpClient(server.port);
  return {
    database,
    server,
    client,
    async stop() {
      client.close();
      await server.stop();
      await database.drop();
    },
  };
}
