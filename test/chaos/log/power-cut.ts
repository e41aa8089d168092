// Loaded into an instance before anything else: keeps the model of what is on the disk, and when it is told by a signal,
// cuts the power: puts back what was not synced and kills the process. The product knows nothing of it.

import { mkdtempSync, statSync, writeSync } from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { Random } from '../../fuzz/random.ts';
import { createPowerModel } from './power-model.ts';
import { cutPoints, cutSignal, powerVariables } from './power-settings.ts';

const root = resolve(process.env[powerVariables.root] ?? '');
const random = new Random(Number(process.env[powerVariables.seed]));
const model = createPowerModel(mkdtempSync(`${root}.shadow-`));
/** Syncs fail where it is set. */
const failOneIn = Number(process.env[powerVariables.failOneIn] ?? Number.POSITIVE_INFINITY);
const cutAt = random.pick(cutPoints);
let isArmed = false;
process.on(cutSignal, () => {
  isArmed = true;
  // Where nothing is under way the point never comes.
  if (cutAt === 'any') cut();
  setTimeout(cut, 500);
});

function cut(): never {
  const { pages, names } = model.cut(random);
  writeSync(1, `${JSON.stringify({ cutAt, pages, names })}\n`);
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

function passing(point: (typeof cutPoints)[number]): void {
  if (isArmed && point === cutAt) cut();
}

const isWatched = (path: unknown): path is string =>
  typeof path === 'string' && (resolve(path) === root || resolve(path).startsWith(`${root}/`));

interface Watched {
  readonly path: string;
  readonly isFolder: boolean;
}
const handles = new WeakMap<object, Watched>();

const original = { ...promises };
promises.open = async (path, flags, mode) => {
  const isNew = isWatched(path) && typeof flags === 'string' && flags.startsWith('w');
  const handle = await original.open(path, flags, mode);
  if (!isWatched(path)) return handle;
  handles.set(handle, { path: resolve(path), isFolder: statSync(path).isDirectory() });
  if (isNew) model.noteMade(resolve(path));
  return handle;
};
promises.mkdir = (async (path: string, options?: { recursive?: boolean; mode?: number }) => {
  const first = await original.mkdir(path, options);
  if (!isWatched(path)) return first;
  // Of several new ones, each is a name in the one above it.
  const made = options?.recursive === true ? first : resolve(path);
  for (
    let folder = resolve(path);
    made !== undefined && folder.length >= made.length;
    folder = resolve(folder, '..')
  )
    model.noteMade(folder);
  return first;
}) as typeof promises.mkdir;
promises.rename = async (from, to) => {
  await original.rename(from, to);
  if (isWatched(from) && isWatched(to)) model.noteRenamed(resolve(from), resolve(to));
};
promises.rm = async (path, options) => {
  if (isWatched(path)) model.noteRemoval(resolve(path));
  await original.rm(path, options);
};
for (const name of [
  'writeFile',
  'appendFile',
  'truncate',
  'copyFile',
  'cp',
  'link',
  'symlink',
  'unlink',
  'rmdir',
] as const)
  refuse(promises as unknown as Record<string, Method>, name, ([path]) => isWatched(path));
syncBuiltinESMExports();

type Method = (this: unknown, ...parameters: never[]) => Promise<unknown>;

/** What the model does not know must not happen unnoticed. */
function refuse(
  object: Record<string, Method>,
  name: string,
  isMeant: (parameters: readonly unknown[], self: unknown) => boolean,
): void {
  const method = object[name];
  object[name] = function (this: unknown, ...parameters: never[]) {
    if (isMeant(parameters, this)) {
      writeSync(2, `The power cut does not know ${name}.\n`);
      process.exit(70);
    }
    return (method as Method).apply(this, parameters);
  };
}

const some = await original.open('/dev/null');
const methods = Object.getPrototypeOf(some) as FileHandle & Record<string, Method>;
await some.close();
const { write, sync, datasync, truncate } = methods;
methods.write = async function (
  this: FileHandle,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) {
  if (handles.has(this)) {
    passing('before-write');
    model.noteWrite(this, position, length);
  }
  const result = await (write as unknown as Method).apply(this, [
    buffer,
    offset,
    length,
    position,
  ] as never[]);
  if (handles.has(this)) passing('after-write');
  return result;
} as unknown as typeof methods.write;
let syncs = 0;
for (const [name, method] of Object.entries({ sync, datasync }))
  methods[name] = async function (this: FileHandle) {
    const watched = handles.get(this);
    if (watched === undefined) return await method.apply(this);
    syncs += 1;
    if (!watched.isFolder && syncs % failOneIn === 0) {
      model.noteFailedSync(this);
      throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' });
    }
    const done = watched.isFolder ? model.noteFolderSync(watched.path) : model.noteSync(this);
    const synced = method.apply(this);
    passing('during-sync');
    await synced;
    done();
    passing('after-sync');
  } as unknown as Method;
methods.truncate = async function (this: FileHandle, length = 0) {
  if (handles.has(this)) model.noteWrite(this, length, (await this.stat()).size - length);
  await truncate.apply(this, [length]);
};
for (const name of ['writev', 'writeFile', 'appendFile', 'createWriteStream'])
  refuse(methods, name, (_parameters, self) => handles.has(self as object));
