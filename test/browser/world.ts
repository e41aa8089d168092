// What every case meets: a company in a database of its own, the product's own command line in prod, and a Chromium.
import type { Browser } from 'playwright-core';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { commandLine } from '../rig/start-process.ts';
import { startServer } from '../rig/start-server.ts';
import { launchChromium } from './launch-chromium.ts';

export interface World {
  readonly database: Database;
  readonly browser: Browser;
  /** Without a path. */
  readonly origin: string;
  stop(): Promise<void>;
}

export async function createWorld(fill: (database: Database) => Promise<void>): Promise<World> {
  const browser = await launchChromium();
  const database = await createDatabase({ migrated: true });
  try {
    await fill(database);
    const server = await startServer({
      databaseUrl: database.url,
      script: commandLine,
      arguments: ['serve'],
      settings: { APPLICATION_MODE: 'prod' },
    });
    return {
      database,
      browser,
      origin: `http://127.0.0.1:${server.port}`,
      async stop() {
        await browser.close();
        await server.stop();
        await database.drop();
      },
    };
  } catch (error) {
    await browser.close();
    await database.drop();
    throw error;
  }
}
