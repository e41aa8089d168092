// The ended tokens, until they would have expired anyway: of each `jti` (128 random bits) the first 64, and the hour in
// which it expires. A million of them are some 13 MB. That another token is taken for one of a million has a chance of
// 5e-14, and then it is refused.

export interface RevokedTokens {
  add(jti: string, expiresAt: number): void;
  addAll(ended: EndedInHour): void;
  has(jti: string): boolean;
  /** With those that have expired since it last grew. */
  readonly size: number;
  /** Those that have not expired; the same tokens are the same bytes, in the same order. */
  hours(): Iterable<EndedInHour>;
}

/** Tokens that expire within the same hour, or some of them. */
export interface EndedInHour {
  /** Since 1970. */
  readonly hour: number;
  /** The first 8 bytes of each `jti`. */
  readonly fingerprints: Uint8Array;
}

/**
 * Sorted, with gaps: a fingerprint stands where its share of all numbers falls, or as little behind as others leave it. So it is
 * found in a step or two, and what is read in order is sorted.
 */
interface Table {
  readonly capacity: number;
  /** The room behind it, for those that are pushed over its end. */
  readonly tail: number;
  /** Two words each. */
  readonly fingerprints: Uint32Array;
  /** 0 is a gap, and so is always the last one. */
  readonly hours: Uint16Array;
}

const fingerprintBytes = 8;
const leastCapacity = 1024;
const leastTail = 64;
/** It grows when it is fuller than the one, and is then as full as the other. */
const fullest = 0.85;
const afterGrowth = 0.7;
/** Hours count from years before the first token's to years behind it: what lies outside counts as the first or the last of them. */
const lastHour = 0xff_ff;
const hourOfFirst = 0x80_00;
/** So that nobody waits for one of them to be read. */
const wordsAtOnce = 2 * 65_536;

/** What is forgotten had expired an hour before `passedSeconds`, a time that has passed on every clock. */
export function createRevokedTokens(passedSeconds: () => number): RevokedTokens {
  const hourOf = (seconds: number) => Math.floor(seconds / 3600);
  let hourBefore: number | undefined;
  /** What is of an earlier hour has expired; the last one never does. */
  const firstHour = () => within(hourOf(passedSeconds()) - 1 - (hourBefore ?? 0));
  let table = createTable(leastCapacity, leastTail);
  let used = 0;
  const words = new Uint32Array(4);
  const bytes = Buffer.from(words.buffer);

  function put(a: number, b: number, hour: number): void {
    for (;;) {
      const place = placeOf(table, a, b);
      if (isAt(table, place, a, b)) {
        table.hours[place] = Math.max(hour, table.hours[place] ?? 0);
        return;
      }
      const gap = table.hours.indexOf(0, place);
      if (gap < table.hours.length - 1) {
        insert(table, place, gap, a, b, hour);
        used += 1;
        return;
      }
      rebuild(table.capacity, table.tail * 2);
    }
  }

  /** For so many more, and without those that have expired. */
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
    for (let place = 0; place < hours.length; place += 1) {
      const hour = hours[place] ?? 0;
      if (hour < first) continue;
      const at = Math.max(shareOf(capacity, fingerprints[place * 2] ?? 0), free);
      free = at + 1;
      if (free === next.hours.length) {
        rebuild(capacity, tail * 2);
        return;
      }
      next.fingerprints[at * 2] = fingerprints[place * 2] ?? 0;
      next.fingerprints[at * 2 + 1] = fingerprints[place * 2 + 1] ?? 0;
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

  /** Copied before the first is given: what is added meanwhile pushes others on. */
  function* hours(): Generator<EndedInHour> {
    const first = firstHour();
    /** Where the next of each hour goes. */
    const nexts = new Uint32Array(lastHour + 2);
    for (const hour of table.hours) if (hour >= first) nexts[hour + 1] = (nexts[hour + 1] ?? 0) + 2;
    for (let hour = first; hour <= lastHour; hour += 1)
      nexts[hour + 1] = (nexts[hour] ?? 0) + (nexts[hour + 1] ?? 0);
    const sorted = new Uint32Array(nexts[lastHour + 1] ?? 0);
    for (let place = 0; place < table.hours.length; place += 1) {
      const hour = table.hours[place] ?? 0;
      if (hour < first) continue;
      const next = nexts[hour] ?? 0;
      sorted[next] = table.fingerprints[place * 2] ?? 0;
      sorted[next + 1] = table.fingerprints[place * 2 + 1] ?? 0;
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
      return isAt(table, placeOf(table, a, b), a, b);
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

/** Where the fingerprint stands, or belongs. */
function placeOf({ capacity, fingerprints, hours }: Table, a: number, b: number): number {
  let place = shareOf(capacity, a);
  for (; hours[place] !== 0; place += 1) {
    const other = fingerprints[place * 2] ?? 0;
    if (other > a || (other === a && (fingerprints[place * 2 + 1] ?? 0) >= b)) break;
  }
  return place;
}

function isAt({ fingerprints, hours }: Table, place: number, a: number, b: number): boolean {
  return hours[place] !== 0 && fingerprints[place * 2] === a && fingerprints[place * 2 + 1] === b;
}

/** Pushes those from the place to the gap on by one. */
function insert(
  { fingerprints, hours }: Table,
  place: number,
  gap: number,
  a: number,
  b: number,
  hour: number,
): void {
  fingerprints.copyWithin((place + 1) * 2, place * 2, gap * 2);
  hours.copyWithin(place + 1, place, gap);
  fingerprints[place * 2] = a;
  fingerprints[place * 2 + 1] = b;
  hours[place] = hour;
}
