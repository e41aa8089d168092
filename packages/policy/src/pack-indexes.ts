// Packs the indexes of all roles into one block of bytes. A decision then needs no object for each role, which saves two
// cache misses. Written bytes never change. A later snapshot appends to the spare space of the same block, because a new
// block for every change would keep the garbage collector busy.

/** The indexes of all roles in one block, and the offset of each role. Each role starts on a separate cache line. */
export interface PackedIndexes {
  readonly block: DataView;
  readonly starts: ReadonlyMap<string, number>;
  readonly lengths: ReadonlyMap<string, number>;
  readonly room: Room;
}

/** The free space of a block. All snapshots that share the block share this object. */
interface Room {
  free: number;
}

const cacheLine = 64;
const leastSpare = 64 * 1024;

export function packIndexes(indexes: ReadonlyMap<string, Uint8Array>): PackedIndexes {
  const length = spaceOf(indexes.values());
  const block = new DataView(new ArrayBuffer(length + Math.max(leastSpare, length >> 1)));
  return append({ block, starts: new Map(), lengths: new Map(), room: { free: 0 } }, indexes);
}

/** The indexes after some roles were changed or removed. Allocates a new block if the spare space is used up. */
export function repackIndexes(
  packed: PackedIndexes,
  changed: ReadonlyMap<string, Uint8Array | undefined>,
): PackedIndexes {
  const indexes = new Map<string, Uint8Array>();
  for (const [roleKey, index] of changed) if (index !== undefined) indexes.set(roleKey, index);
  const kept = without(packed, changed.keys());
  if (packed.room.free + spaceOf(indexes.values()) <= packed.block.byteLength) return append(kept, indexes);
  return packIndexes(new Map([...unpack(kept), ...indexes]));
}

function without({ starts, lengths, ...shared }: PackedIndexes, roleKeys: Iterable<string>): PackedIndexes {
  const kept = { ...shared, starts: new Map(starts), lengths: new Map(lengths) };
  for (const roleKey of roleKeys) {
    kept.starts.delete(roleKey);
    kept.lengths.delete(roleKey);
  }
  return kept;
}

function* unpack({ block, starts, lengths }: PackedIndexes): Generator<[string, Uint8Array]> {
  for (const [roleKey, start] of starts)
    yield [roleKey, new Uint8Array(block.buffer, start, lengths.get(roleKey))];
}

function append(
  { block, room, ...of }: PackedIndexes,
  indexes: ReadonlyMap<string, Uint8Array>,
): PackedIndexes {
  const starts = new Map(of.starts);
  const lengths = new Map(of.lengths);
  for (const [roleKey, index] of indexes) {
    new Uint8Array(block.buffer, room.free).set(index);
    starts.set(roleKey, room.free);
    lengths.set(roleKey, index.length);
    room.free += spaceOf([index]);
  }
  return { block, starts, lengths, room };
}

function spaceOf(indexes: Iterable<Uint8Array>): number {
  let space = 0;
  for (const { length } of indexes) space += Math.ceil(length / cacheLine) * cacheLine;
  return space;
}
