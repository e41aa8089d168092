// Loaded into an instance before anything else: once it is armed by a signal, the process kills itself with SIGKILL when
// it next comes to its point. The product knows nothing of it.
import { readlinkSync } from 'node:fs';
import promises, { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import pg from 'pg';
import { armingSignal, type StopPoint, stopPointVariable } from './stop-points.ts';

const point = process.env[stopPointVariable];
let isArmed = false;
process.on(armingSignal, () => {
  isArmed = true;
});

function passing(passed: StopPoint): void {
  if (passed !== point) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal may find another thread first.
  for (;;);
}

type Asynchronous = (...parameters: never[]) => Promise<unknown>;

/** Puts points around a method; it is one only where the parameters are those of interest. */
function around<Name extends string>(
  object: Record<Name, unknown>,
  name: Name,
  { isMeant, before, after }: { isMeant: IsMeant; before?: StopPoint; after?: StopPoint },
): void {
  const original = object[name] as Asynchronous;
  object[name] = function (this: unknown, ...parameters: never[]) {
    if (!isArmed || !isMeant(this, parameters)) return original.apply(this, parameters);
    if (before !== undefined) passing(before);
    const result = original.apply(this, parameters);
    return after === undefined ? result : tellWhenDone(result, after);
  };
}

async function tellWhenDone(result: Promise<unknown>, after: StopPoint): Promise<unknown> {
  const value = await result;
  passing(after);
  return value;
}

type IsMeant = (self: unknown, parameters: readonly unknown[]) => boolean;

const isSegment = (path: unknown) => typeof path === 'string' && path.endsWith('.log');
const isSegmentOf: IsMeant = (self) => isSegment(readlinkSync(`/proc/self/fd/${(self as FileHandle).fd}`));
/** A new segment is filled with zeros; those are no records. */
const holdsRecords: IsMeant = (self, [bytes]) =>
  Buffer.isBuffer(bytes) && bytes.readUInt32LE(0) !== 0 && isSegmentOf(self, []);
const isInsert: IsMeant = (_self, [text]) =>
  typeof text === 'string' && /insert into login_log select/.test(text);

const handle = await open('/dev/null');
const fileHandles = Object.getPrototypeOf(handle) as Record<'write' | 'datasync', unknown>;
await handle.close();
around(fileHandles, 'write', { isMeant: holdsRecords, before: 'before-write' });
around(fileHandles, 'datasync', { isMeant: isSegmentOf, before: 'before-sync', after: 'after-sync' });
for (const name of ['rm', 'unlink'] as const)
  around(promises, name, { isMeant: (_self, [path]) => isSegment(path), after: 'after-unlink' });
syncBuiltinESMExports();
around(pg.Client.prototype as unknown as Record<'query', unknown>, 'query', {
  isMeant: isInsert,
  before: 'before-insert',
  after: 'after-insert',
});
