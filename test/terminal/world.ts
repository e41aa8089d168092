// The environment of the commands: a separate database, a folder with files, and `portcullis` on the path.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { commandLine, fileOf } from '../rig/start-process.ts';
import { baseSettings } from '../rig/start-server.ts';
import { createTerminalServer, type TerminalServer } from './terminal.ts';

export interface World {
  readonly database: Database;
  readonly folder: string;
  readonly server: TerminalServer;
  /** At the service that `serve` has started; the administrator's password unless another is given. */
  logIn(username: string, password?: string): Promise<void>;
  close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-terminal-'));
  const database = await createDatabase({ migrated: false });
  const program = join(folder, 'portcullis');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${fileOf(commandLine)}' "$@"\n`);
  await chmod(program, 0o755);
  const environment = {
    ...baseSettings(database.url),
    APPLICATION_MODE: 'dev',
    PATH: `${folder}:/usr/bin:/bin`,
    HOME: folder,
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    // The socket goes with the folder.
    TMUX_TMPDIR: folder,
    // A hundred starts of the same program.
    NODE_COMPILE_CACHE: join(folder, 'cache'),
  };
  const server = createTerminalServer(environment, folder);
  return {
    database,
    folder,
    server,
    logIn: () => Promise.reject(new Error('No service runs yet.')),
    async close() {
      await server.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
