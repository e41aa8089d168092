// What every case meets: a company in a separate database, the product's own command line in prod, and a Chromium, which
// other worlds had before.
import type { Browser } from 'playwright-core';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { judgesTimes } from '../rig/judges-times.ts';
import { machineSettings } from '../rig/service-account.ts';
import { commandLine } from '../rig/start-process.ts';
import { startServer } from '../rig/start-server.ts';
import { findFreePort } from '../rig/tcp-proxy.ts';
import { startReadResender } from './resend-reads.ts';

/** What a desk has room for, by its width. */
export const desks = { 1440: { width: 1440, height: 900 }, 1024: { width: 1024, height: 768 } } as const;
export type Desk = (typeof desks)[keyof typeof desks];

export interface World {
  readonly database: Database;
  readonly browser: Browser;
  /** The window of everybody who asks for no other. */
  readonly desk: Desk;
  /** Without a path. */
  readonly origin: string;
  readonly asksCaptcha: boolean;
  stop(): Promise<void>;
}

interface WorldOptions {
  readonly desk?: Desk | undefined;
  /** In dev, where a page needs no certificate for them: they are for a name, and the service must know the address. */
  readonly hasPasskeys?: boolean;
  /** Further settings. With a separate port, nothing stands between the browser and the service. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function createWorld(
  browser: Browser,
  fill: (database: Database) => Promise<void>,
  { desk = desks[1440], hasPasskeys = false, settings = {} }: WorldOptions = {},
): Promise<World> {
  const database = await createDatabase({ migrated: true });
  try {
    await fill(database);
    const named = hasPasskeys ? await nameOrigin() : undefined;
    const server = await startServer({
      databaseUrl: patient(database.url),
      script: commandLine,
      arguments: ['serve'],
      settings: {
        APPLICATION_MODE: 'prod',
        AUTH_TOKEN_LIFETIME_SECONDS: '86400',
        ...machineSettings,
        MAIL_PASSWORD_PAGE: 'https://admin.example.com/console/new-password',
        ...named?.settings,
        ...settings,
      },
    });
    // By hand and at night there is nothing between the browser and the service: times are judged there.
    const isDirect = judgesTimes || hasPasskeys || 'APPLICATION_PORT' in settings;
    const resender = isDirect ? undefined : await startReadResender(server.port);
    return {
      database,
      browser,
      desk,
      asksCaptcha: !hasPasskeys,
      origin: named?.origin ?? `http://127.0.0.1:${resender?.port ?? server.port}`,
      async stop() {
        for (const context of browser.contexts()) await context.close();
        resender?.close();
        await server.stop();
        await database.drop();
      },
    };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

async function nameOrigin() {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const settings = {
    APPLICATION_MODE: 'dev',
    APPLICATION_PORT: String(port),
    MFA_PASSKEY_DOMAIN: 'localhost',
    MFA_PASSKEY_ORIGINS: JSON.stringify([origin]),
  };
  return { origin, settings };
}

/** On a machine that stands still for seconds a page must not show that Postgres did not answer. */
function patient(url: string): string {
  return `${url}?statement_timeout=60000&query_timeout=60000`;
}
