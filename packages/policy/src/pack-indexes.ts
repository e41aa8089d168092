// Puts the indexes of all roles into one block of bytes, so that a decision reaches a role's bytes without the way
// over an object for each role: two cache misses less. Written bytes never change; a later snapshot appends to the
// spare room of the same block, because a new block for every change would keep the garbage collector busy.

/** The indexes of all roles in one block, and where in it each role starts: on a cache line of its own. */
export interface PackedIndexes {
  readonly block: DataView;
  readonly starts: ReadonlyMap<string, number>;
  readonly room: Room;
}

/** What the snapshots that share a block have left of it. */
interface Room {
  free: number;
}

const cacheLine = 64;
const leastSpare = 64 * 1024;

export function packIndexes(indexes: ReadonlyMap<string, Uint8Array>): PackedIndexes {
  let length = 0;
  for (const index of indexes.values()) length += spaceOf(index);
  const block = new DataView(new ArrayBuffer(length + Math.max(leastSpare, length >> 1)));
  const starts = new Map<string, number>();
  const room = { free: 0 };
  for (const [roleKey, index] of indexes) starts.set(roleKey, append(block, room, index));
  return { block, starts, room };
}

/** The indexes after some roles changed; a block of its own where the spare room of the earlier one is used up. */
export function repackIndexes(
  { block, starts, room }: PackedIndexes,
  indexes: ReadonlyMap<string, Uint8Array>,
  changedRoles: Iterable<string>,
): PackedIndexes {
  const nextStarts = new Map(starts);
  for (const roleKey of changedRoles) {
    const index = indexes.get(roleKey);
    if (index === undefined) nextStarts.delete(roleKey);
    else if (room.free + spaceOf(index) > block.byteLength) return packIndexes(indexes);
    else nextStarts.set(roleKey, append(block, room, index));
  }
  return { block, starts: nextStarts, room };
}

function append(block: DataView, room: Room, index: Uint8Array): number {
  const start = room.free;
  new Uint8Array(block.buffer, start).set(index);
  room.free += spaceOf(index);
  return start;
}

function spaceOf(index: Uint8Array): number {
  return Math.ceil(index.length / cacheLine) * cacheLine;
}
