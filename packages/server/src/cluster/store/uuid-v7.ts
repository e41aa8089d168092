// UUID version 7 (RFC 9562, section 5.7): an id that begins with its time in milliseconds.
export function createUuidV7(at: number, random: Buffer): string {
  const time = at.toString(16).padStart(12, '0');
  const tail = Buffer.from(random.subarray(0, 10));
  tail.writeUInt8((tail.readUInt8(0) & 0x0f) | 0x70, 0);
  tail.writeUInt8((tail.readUInt8(2) & 0x3f) | 0x80, 2);
  const hex = time + tail.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The largest value of the first twelve random bits, which count within a millisecond. */
const mostOfMillisecond = 0xfff;

/** Returns increasing ids, also within a millisecond and when the clock is set back (section 6.2). */
export function createUuidV7Source(randomBytes: (size: number) => Buffer): (at: number) => string {
  let time = 0;
  let count = 0;
  return (at) => {
    count += 1;
    if (at > time || count > mostOfMillisecond) {
      time = Math.max(at, time + 1);
      count = 0;
    }
    const random = randomBytes(10);
    random.writeUInt16BE(count, 0);
    return createUuidV7(time, random);
  };
}

/** A lower bound: no id of this millisecond or of a later one is smaller. */
export function firstIdAt(milliseconds: number): string {
  const time = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The time of an id, in milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
