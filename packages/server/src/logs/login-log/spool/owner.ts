// Who a folder of spools belongs to: an instance listens on a socket in its folder for as long as it lives, however it
// ends. Nobody else writes there or deletes anything while somebody listens.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from './segment.ts';

export interface OwnedFolder {
  readonly folder: string;
  /** The folder is anybody's from now on. */
  release(): Promise<void>;
}

const socketName = 'owner';
/** What the system's addresses of sockets have room for. */
const maxSocketPathBytes = 107;

/** Under the folder of the settings: one folder a database, so that no record reaches another one's. */
export function spoolRoot(spoolFolder: string, deployment: string): string {
  return resolve(spoolFolder, deployment.replaceAll('-', '').slice(0, 16));
}

/** A new folder of one's own. It gets its name when it is owned, so that nobody finds it without its owner. */
export async function createOwnedFolder(root: string): Promise<OwnedFolder> {
  const name = randomBytes(4).toString('hex');
  const unnamed = join(root, `.${name}`);
  if (Buffer.byteLength(join(unnamed, socketName)) > maxSocketPathBytes)
    throw new Error('Its path is too long.');
  const topmost = (await mkdir(root, { recursive: true, mode: 0o700 })) ?? root;
  // Each new folder is a name in the one above it.
  for (let folder = root; folder.length >= topmost.length; folder = dirname(folder))
    await syncFolder(dirname(folder));
  await mkdir(unnamed, { mode: 0o700 });
  const server = await listenIn(unnamed);
  const folder = join(root, name);
  await rename(unnamed, folder);
  await syncFolder(root);
  return { folder, release: () => close(server) };
}

/** The folder, where its owner has ended; two who take it at once both may read and delete what they have stored. */
export async function takeOver(folder: string): Promise<OwnedFolder | undefined> {
  if (await isOwned(folder)) return undefined;
  try {
    await rm(join(folder, socketName), { force: true });
    const server = await listenIn(folder);
    return { folder, release: () => close(server) };
  } catch (error) {
    // Somebody else was faster: listens already, or is done with it (libuv says EACCES where there is no folder).
    if (['EADDRINUSE', 'EACCES', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}

export async function listFolders(root: string): Promise<string[]> {
  const names = (await readdir(root)).filter((name) => !name.startsWith('.'));
  return names.sort().map((name) => join(root, name));
}

/** Whether its owner lives. */
export async function isOwned(folder: string): Promise<boolean> {
  const socket = connect(join(folder, socketName));
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    // Whatever else goes wrong may be an owner who is busy.
    return !['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    socket.destroy();
  }
}

async function listenIn(folder: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen(join(folder, socketName));
  await once(server, 'listening');
  // Whoever asks while the process has no handle left is connected all the same, and knows enough.
  server.on('error', () => {});
  server.unref();
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
