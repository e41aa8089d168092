// Puts the indexes of all roles into one block of bytes, so that a decision reaches a role's bytes without the way
// over an object for each role: two cache misses less.

/** The indexes of all roles in one block, and where in it each role starts: on a cache line of its own. */
export interface PackedIndexes {
  readonly block: DataView;
  readonly starts: ReadonlyMap<string, number>;
}

const cacheLine = 64;

export function packIndexes(indexes: ReadonlyMap<string, Uint8Array>): PackedIndexes {
  const starts = new Map<string, number>();
  let length = 0;
  for (const [roleKey, index] of indexes) {
    starts.set(roleKey, length);
    length += Math.ceil(index.length / cacheLine) * cacheLine;
  }
  const bytes = new Uint8Array(length);
  for (const [roleKey, index] of indexes) bytes.set(index, starts.get(roleKey));
  return { block: new DataView(bytes.buffer), starts };
}
