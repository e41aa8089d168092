// Wire protocol between a guard and the decision listener: the schemas of all requests, answers and messages. The listener
// validates requests with them, and the guard validates answers. Either side can be of an earlier version, so names on the
// wire stay unchanged, and unknown fields are ignored.
import { type Static, Type } from 'typebox';
import { longestLeaseMilliseconds } from '../member/lease.ts';

export const guardPath = '/guard/v1/';

const id = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
const revision = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });
const version = Type.String({ maxLength: 32, pattern: '^[^\\u0000]*$' });

/** The name of a guarded service. */
export const ServiceName = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$' });

const named = {
  n: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  mark: Type.String(),
};
/** The first answer that a guard loads at its start: the parts of a snapshot, each named by the SHA-256 of its bytes. */
export const Manifest = Type.Object({
  ...named,
  parts: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' })),
});
export type Manifest = Static<typeof Manifest>;

/** Takes the query `?at-least=` with a revision. */
export const guardManifest = {
  method: 'GET',
  path: `${guardPath}manifest`,
  answer: Manifest,
} as const;

/** The name of a part follows. A part is lines of JSON, one record each, compressed with gzip. */
export const guardPartsPath = `${guardPath}parts/`;

/** The WebSocket connection of a guard: lease renewals in one direction, leases and changes in the other. */
export const guardConnectionRoute = { method: 'GET', path: `${guardPath}line` } as const;

/** One message is one text of JSON. */
export const FromGuard = Type.Union([
  /** The first message. The id is a secret, because knowing it is enough to release the lease. Each memory has a new id. */
  Type.Object({
    kind: Type.Literal('hello'),
    id,
    service: ServiceName,
    version,
  }),
  /** Asks for a lease on what the guard enforces. */
  Type.Object({
    kind: Type.Literal('renew'),
    seq: Type.Integer(),
    n: revision,
    mark: Type.String({ maxLength: 64 }),
  }),
  /** The guard gives the lease of this instance back. */
  Type.Object({ kind: Type.Literal('release') }),
]);
export type FromGuard = Static<typeof FromGuard>;

export const FromRelay = Type.Union([
  /** A lease that counts from the sending of the request. `at` is the time of the database's clock. */
  Type.Object({
    kind: Type.Literal('granted'),
    seq: Type.Integer(),
    milliseconds: Type.Number({ minimum: 0, maximum: longestLeaseMilliseconds }),
    at: Type.Number(),
  }),
  Type.Object({
    kind: Type.Literal('refused'),
    seq: Type.Integer(),
    why: Type.Enum(['behind', 'ahead', 'lost', 'unavailable']),
  }),
  /** The revisions that follow `after` without a gap. */
  Type.Object({
    kind: Type.Literal('revisions'),
    after: Type.Object(named),
    // Any value is valid here: changes of a later version can be unreadable, and the guard then loads a full snapshot.
    revisions: Type.Array(Type.Object({ ...named, changes: Type.Optional(Type.Unknown()) })),
  }),
  /** The guard's revision is too old to follow. The guard must load a snapshot of this revision or a later one. */
  Type.Object({ kind: Type.Literal('load'), ...named }),
  /** The instance shuts down. The guard must connect to another instance and release its lease here. */
  Type.Object({ kind: Type.Literal('leaving') }),
]);
export type FromRelay = Static<typeof FromRelay>;

export function atLeastQuery(n: number): string {
  return `?at-least=${Math.max(0, n)}`;
}

export function readAtLeastQuery(url: string): number {
  return Number(/\?at-least=(\d{1,16})$/.exec(url)?.[1] ?? Number.NaN);
}
