// A compact set of revoked tokens, as a sorted hash table. It keeps a token until its expiry. Of each `jti` (128 random
// bits) it stores the first 64 bits and the hour of expiry, so a million tokens need some 13 MB. A valid token collides
// with one of a million with probability 5e-14, and is then rejected.

export interface RevokedTokens {
  add(jti: string, expiresAt: number): void;
  addAll(ended: EndedInHour): void;
  has(jti: string): boolean;
  /** The count includes tokens that have expired since the table last grew. */
  readonly size: number;
  /** The tokens that have not expired. Equal sets give equal bytes in the same order. */
  hours(): Iterable<EndedInHour>;
}

/** Revoked tokens that expire within the same hour; a large hour is split into several of these. */
export interface EndedInHour {
  /** Hours since 1970. */
  readonly hour: number;
  /** The first 8 bytes of each `jti`. */
  readonly fingerprints: Uint8Array;
}

/**
 * A sorted table with gaps. The value of a fingerprint determines its slot, and a fingerprint that finds the slot occupied
 * goes to a slot shortly behind it. So a lookup takes a step or two, and reading the slots in order gives sorted
 * fingerprints.
 */
interface Table {
  readonly capacity: number;
  /** Extra slots behind the capacity, for fingerprints that are pushed over its end. */
  readonly tail: number;
  /** Two 32-bit words for each slot. */
  readonly fingerprints: Uint32Array;
  /** The hour of expiry of each slot, relative to `hourBefore`. 0 is a gap, and the last slot is always a gap. */
  readonly hours: Uint16Array;
}

const fingerprintBytes = 8;
const leastCapacity = 1024;
const leastTail = 64;
/** The table grows when its load exceeds `fullest`. After growth, the load is `afterGrowth`. */
const fullest = 0.85;
const afterGrowth = 0.7;
/**
 * Stored hours are relative and cover some 3.7 years before and after the expiry of the first token. An hour outside
 * this range counts as the first or the last hour.
 */
const lastHour = 0xff_ff;
const hourOfFirst = 0x80_00;
/** Limits the size of one record, so that the event loop is not blocked while a record is read. */
const wordsAtOnce = 2 * 65_536;

/** Drops a token no earlier than one hour after its expiry by `passedSeconds`, a time that has passed on every clock. */
export function createRevokedTokens(passedSeconds: () => number): RevokedTokens {
  const hourOf = (seconds: number) => Math.floor(seconds / 3600);
  let hourBefore: number | undefined;
  /** Tokens of an earlier hour have expired. Tokens of `lastHour` never expire. */
  const firstHour = () => within(hourOf(passedSeconds()) - 1 - (hourBefore ?? 0));
  let table = createTable(leastCapacity, leastTail);
  let used = 0;
  const words = new Uint32Array(4);
  const bytes = Buffer.from(words.buffer);

  function put(a: number, b: number, hour: number): void {
    for (;;) {
      const slot = slotOf(table, a, b);
      if (isAt(table, slot, a, b)) {
        table.hours[slot] = Math.max(hour, table.hours[slot] ?? 0);
        return;
      }
      const gap = table.hours.indexOf(0, slot);
      if (gap < table.hours.length - 1) {
        insert(table, slot, gap, a, b, hour);
        used += 1;
        return;
      }
      rebuild(table.capacity, table.tail * 2);
    }
  }

  /** Grows the table if `more` tokens do not fit, and drops the expired ones. */
  function makeRoom(more: number): void {
    if (used + more <= table.capacity * fullest) return;
    const first = firstHour();
    let live = 0;
    for (const hour of table.hours) if (hour >= first) live += 1;
    rebuild(Math.max(leastCapacity, Math.ceil((live + more) / afterGrowth)), table.tail);
  }

  function rebuild(capacity: number, tail: number): void {
    const { hours, fingerprints } = table;
    const first = firstHour();
    const next = createTable(capacity, tail);
    let put = 0;
    let free = 0;
    for (let slot = 0; slot < hours.length; slot += 1) {
      const hour = hours[slot] ?? 0;
      if (hour < first) continue;
      const at = Math.max(shareOf(capacity, fingerprints[slot * 2] ?? 0), free);
      free = at + 1;
      if (free === next.hours.length) {
        rebuild(capacity, tail * 2);
        return;
      }
      next.fingerprints[at * 2] = fingerprints[slot * 2] ?? 0;
      next.fingerprints[at * 2 + 1] = fingerprints[slot * 2 + 1] ?? 0;
      next.hours[at] = hour;
      put += 1;
    }
    table = next;
    used = put;
  }

  function add(expiresInHour: number): void {
    hourBefore ??= expiresInHour - hourOfFirst;
    put(words[0] ?? 0, words[1] ?? 0, within(expiresInHour - hourBefore));
  }

  /** Copies all fingerprints before the first yield, because an insertion during the iteration moves others. */
  function* hours(): Generator<EndedInHour> {
    const first = firstHour();
    /** Where the next fingerprint of each hour is written (counting sort). */
    const nexts = new Uint32Array(lastHour + 2);
    for (const hour of table.hours) if (hour >= first) nexts[hour + 1] = (nexts[hour + 1] ?? 0) + 2;
    for (let hour = first; hour <= lastHour; hour += 1)
      nexts[hour + 1] = (nexts[hour] ?? 0) + (nexts[hour + 1] ?? 0);
    const sorted = new Uint32Array(nexts[lastHour + 1] ?? 0);
    for (let slot = 0; slot < table.hours.length; slot += 1) {
      const hour = table.hours[slot] ?? 0;
      if (hour < first) continue;
      const next = nexts[hour] ?? 0;
      sorted[next] = table.fingerprints[slot * 2] ?? 0;
      sorted[next + 1] = table.fingerprints[slot * 2 + 1] ?? 0;
      nexts[hour] = next + 2;
    }
    for (let hour = first, from = 0; hour <= lastHour; hour += 1)
      for (const end = nexts[hour] ?? 0; from < end; ) {
        const some = sorted.subarray(from, Math.min(end, from + wordsAtOnce));
        from += some.length;
        yield {
          hour: hour + (hourBefore ?? 0),
          fingerprints: new Uint8Array(some.buffer, some.byteOffset, some.byteLength),
        };
      }
  }

  return {
    hours,
    get size() {
      return used;
    },
    add(jti, expiresAt) {
      makeRoom(1);
      bytes.write(jti, 'base64url');
      add(hourOf(expiresAt));
    },
    addAll({ hour, fingerprints }) {
      if (fingerprints.length % fingerprintBytes !== 0) throw new Error('Ended tokens are cut off.');
      makeRoom(fingerprints.length / fingerprintBytes);
      for (let at = 0; at < fingerprints.length; at += fingerprintBytes) {
        bytes.set(fingerprints.subarray(at, at + fingerprintBytes));
        add(hour);
      }
    },
    has(jti) {
      bytes.write(jti, 'base64url');
      const [a = 0, b = 0] = words;
      return isAt(table, slotOf(table, a, b), a, b);
    },
  };
}

function within(hour: number): number {
  return Math.min(Math.max(hour, 1), lastHour);
}

function createTable(capacity: number, tail: number): Table {
  const length = capacity + tail;
  return { capacity, tail, fingerprints: new Uint32Array(length * 2), hours: new Uint16Array(length) };
}

function shareOf(capacity: number, a: number): number {
  return Math.floor((a / 2 ** 32) * capacity);
}

/** The slot of the fingerprint, or the slot where it has to be inserted. */
function slotOf({ capacity, fingerprints, hours }: Table, a: number, b: number): number {
  let slot = shareOf(capacity, a);
  for (; hours[slot] !== 0; slot += 1) {
    const other = fingerprints[slot * 2] ?? 0;
    if (other > a || (other === a && (fingerprints[slot * 2 + 1] ?? 0) >= b)) break;
  }
  return slot;
}

function isAt({ fingerprints, hours }: Table, slot: number, a: number, b: number): boolean {
  return hours[slot] !== 0 && fingerprints[slot * 2] === a && fingerprints[slot * 2 + 1] === b;
}

/** Inserts at the slot, and moves the fingerprints between the slot and the gap by one. */
function insert(
  { fingerprints, hours }: Table,
  slot: number,
  gap: number,
  a: number,
  b: number,
  hour: number,
): void {
  fingerprints.copyWithin((slot + 1) * 2, slot * 2, gap * 2);
  hours.copyWithin(slot + 1, slot, gap);
  fingerprints[slot * 2] = a;
  fingerprints[slot * 2 + 1] = b;
  hours[slot] = hour;
}
