import { randomBytes } from 'node:crypto';
import { createUuidV7Source } from '../src/cluster/store/uuid-v7.ts';

let nextId = createUuidV7Source(randomBytes);
let latest = 0;

/** Of its own time, also where that is before the last one: another file of the same worker may have been in the future. */
export function idAt(at: number): string {
  if (at < latest) nextId = createUuidV7Source(randomBytes);
  latest = at;
  return nextId(at);
}
