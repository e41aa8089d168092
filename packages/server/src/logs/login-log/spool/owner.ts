// Ownership (lock) of spool folders: an instance listens on a socket in its folder as long as it runs, however it ends. While the
// socket is open, no other process writes or deletes anything there.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from './segment.ts';

export interface OwnedFolder {
  readonly folder: string;
  /** From now on, any process can take the folder. */
  release(): Promise<void>;
}

const socketName = 'owner';
/** The limit of the system's socket addresses. */
const maxSocketPathBytes = 107;

/** One folder per database below the folder of the settings, so that no record reaches another database. */
export function spoolRoot(spoolFolder: string, deployment: string): string {
  return resolve(spoolFolder, deployment.replaceAll('-', '').slice(0, 16));
}

/** Creates a new folder. It gets its name when it is owned, so that no process finds it without its owner. */
export async function createOwnedFolder(root: string): Promise<OwnedFolder> {
  const name = randomBytes(4).toString('hex');
  const unnamed = join(root, `.${name}`);
  if (Buffer.byteLength(join(unnamed, socketName)) > maxSocketPathBytes)
    throw new Error('Its path is too long.');
  const topmost = (await mkdir(root, { recursive: true, mode: 0o700 })) ?? root;
  // Each new folder is an entry of the folder above it.
  for (let folder = root; folder.length >= topmost.length; folder = dirname(folder))
    await syncFolder(dirname(folder));
  await mkdir(unnamed, { mode: 0o700 });
  const server = await listenIn(unnamed);
  const folder = join(root, name);
  await rename(unnamed, folder);
  await syncFolder(root);
  return { folder, release: () => close(server) };
}

/**
 * Takes over a folder whose owner has ended. Two processes that take it at once can both read it, and delete what they have
 * stored.
 */
export async function takeOver(folder: string): Promise<OwnedFolder | undefined> {
  if (await isOwned(folder)) return undefined;
  try {
    await rm(join(folder, socketName), { force: true });
    const server = await listenIn(folder);
    return { folder, release: () => close(server) };
  } catch (error) {
    // Another process was faster: it listens already, or has finished (libuv says EACCES when there is no folder).
    if (['EADDRINUSE', 'EACCES', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}

export async function listFolders(root: string): Promise<string[]> {
  const names = (await readdir(root)).filter((name) => !name.startsWith('.'));
  return names.sort().map((name) => join(root, name));
}

/** Whether its owner is alive. */
export async function isOwned(folder: string): Promise<boolean> {
  const socket = connect(join(folder, socketName));
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    // Any other error can come from an owner that is busy.
    return !['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    socket.destroy();
  }
}

async function listenIn(folder: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen(join(folder, socketName));
  await once(server, 'listening');
  // The kernel accepts a connection also while the process has no handle left, and that is all the answer that is needed.
  server.on('error', () => {});
  server.unref();
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
