// An instance of the service under the load, and what is needed to kill it and start it again in its place.
import { type Dirent, existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '../../rig/create-database.ts';
import { commandLine } from '../../rig/start-process.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import type { Target } from './login-load.ts';
import { leastCost, seedPeople } from './seed-people.ts';

export interface LogInstance extends Target {
  /** Of the process that runs now. */
  readonly server: Server | undefined;
  /** Starts it, in the place of one that has ended. Settings are of this start alone. */
  start(settings?: Readonly<Record<string, string>>): Promise<Server>;
  kill(): Promise<void>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
}

interface InstanceOptions {
  readonly databaseUrl: string;
  readonly spoolFolder: string;
  readonly captchaRequired?: boolean;
  /** Loaded into the process before the service, by its path from here. */
  readonly preload?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

export function createLogInstance(options: InstanceOptions): LogInstance {
  const { databaseUrl, spoolFolder, captchaRequired = false, preload } = options;
  let server: Server | undefined;
  const shared = {
    APPLICATION_MODE: captchaRequired ? 'prod' : 'dev',
    APPLICATION_TRUSTED_PROXIES: '["127.0.0.1"]',
    CLUSTER_LEASE_SECONDS: '2',
    LOGGER_SPOOL_FOLDER: spoolFolder,
    ...(captchaRequired ? {} : cheapHashes),
    ...(preload === undefined ? {} : { NODE_OPTIONS: `--import=${new URL(preload, import.meta.url).href}` }),
    ...options.settings,
  };
  return {
    captchaRequired,
    get port() {
      return server?.port;
    },
    get server() {
      return server;
    },
    async start(settings = {}) {
      const started = await startServer({
        databaseUrl,
        script: commandLine,
        arguments: ['serve'],
        settings: { ...shared, ...settings },
      });
      server = started;
      void started.process.exited.then(() => {
        if (server === started) server = undefined;
      });
      return started;
    },
    async kill() {
      server?.process.signal('SIGKILL');
      await server?.process.exited;
    },
    async stop() {
      return (await server?.stop()) ?? null;
    },
  };
}

const cheapHashes = {
  HASH_MEMORY_KIBIBYTES: String(leastCost.memoryKibibytes),
  HASH_PASSES: String(leastCost.passes),
};

export interface Stage {
  readonly database: Database;
  readonly spoolFolder: string;
  close(): Promise<void>;
}

/** A database with people, and a folder for spools. */
export async function prepareStage(options: { server?: string; spoolFolder?: string } = {}): Promise<Stage> {
  const database = await createDatabase({
    migrated: true,
    ...(options.server === undefined ? {} : { server: options.server }),
  });
  await seedPeople(database);
  const spoolFolder = options.spoolFolder ?? (await mkdtemp(join(tmpdir(), 'chaos-spool-')));
  return {
    database,
    spoolFolder,
    async close() {
      await database.drop();
      if (options.spoolFolder === undefined) await rm(spoolFolder, { recursive: true, force: true });
    },
  };
}

/** Segments that hold a record, by their paths. An instance that has ended in order leaves none. */
export async function listLeftSegments(spoolFolder: string): Promise<string[]> {
  const left: string[] = [];
  for (const entry of await listEntries(spoolFolder)) {
    if (!entry.isFile() || !entry.name.endsWith('.log')) continue;
    const path = join(entry.parentPath, entry.name);
    // One that is drained meanwhile is gone.
    const bytes = await readFile(path).catch(() => Buffer.alloc(4));
    if (bytes.length >= 4 && bytes.readUInt32LE(0) !== 0) left.push(path);
  }
  return left;
}

/** A folder that is drained while it is listed is gone: then once more. */
async function listEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (!existsSync(folder)) return [];
    return await listEntries(folder);
  }
}
