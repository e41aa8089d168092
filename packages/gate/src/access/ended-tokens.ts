// The `jti`s of ended tokens, until the tokens would have expired anyway. A million of them are 40 MB here; as texts in
// a Set they would be several times that. It grows by doubling and forgets what has expired when it does.

export interface EndedTokens {
  add(jti: string, expiresAt: number): void;
  has(jti: string): boolean;
  /** With those that have expired since it last grew. */
  readonly size: number;
  /** Those that have not expired, as `jti expiry,jti expiry`, a page a text. */
  lines(): Iterable<string>;
}

/** Four words of the `jti` (128 random bits), and its expiry; a slot whose expiry is 0 is free. */
const slotWords = 5;
const firstCapacity = 1024;
const maxExpiry = 0xff_ff_ff_ff;
const page = 10_000;

export function createEndedTokens(nowSeconds: () => number): EndedTokens {
  let capacity = firstCapacity;
  let slots = new Uint32Array(capacity * slotWords);
  let used = 0;
  const words = new Uint32Array(slotWords - 1);
  const bytes = Buffer.from(words.buffer);

  /** The slot that holds the words, or the free one where they belong. The bits are random: they are their own hash. */
  function slotOf(): number {
    const [a = 0, b = 0, c = 0, d = 0] = words;
    for (let slot = a & (capacity - 1); ; slot = (slot + 1) & (capacity - 1)) {
      const at = slot * slotWords;
      if (slots[at + 4] === 0) return at;
      if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c && slots[at + 3] === d) return at;
    }
  }

  function put(expiresAt: number): void {
    const at = slotOf();
    if (slots[at + 4] === 0) used += 1;
    slots.set(words, at);
    slots[at + 4] = expiresAt;
  }

  function rebuild(): void {
    const old = slots;
    const now = nowSeconds();
    let live = 0;
    for (let at = 4; at < old.length; at += slotWords) if ((old[at] ?? 0) > now) live += 1;
    while (live * 4 > capacity) capacity *= 2;
    slots = new Uint32Array(capacity * slotWords);
    used = 0;
    for (let at = 0; at < old.length; at += slotWords) {
      const expiresAt = old[at + 4] ?? 0;
      if (expiresAt <= now) continue;
      words.set(old.subarray(at, at + 4));
      put(expiresAt);
    }
  }

  function* lines(): Generator<string> {
    // Where it grows meanwhile, this one stays as it was.
    const read = slots;
    const now = nowSeconds();
    let found: string[] = [];
    for (let at = 0; at < read.length; at += slotWords) {
      const expiresAt = read[at + 4] ?? 0;
      if (now >= expiresAt) continue;
      const jti = Buffer.from(read.buffer, at * read.BYTES_PER_ELEMENT, bytes.length).toString('base64url');
      found.push(`${jti} ${expiresAt}`);
      if (found.length < page) continue;
      yield found.join();
      found = [];
    }
    if (found.length > 0) yield found.join();
  }

  return {
    lines,
    get size() {
      return used;
    },
    add(jti, expiresAt) {
      if (used * 2 >= capacity) rebuild();
      bytes.write(jti, 'base64url');
      put(Math.min(expiresAt, maxExpiry));
    },
    has(jti) {
      bytes.write(jti, 'base64url');
      return slots[slotOf() + 4] !== 0;
    },
  };
}
