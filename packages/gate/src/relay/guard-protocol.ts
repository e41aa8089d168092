// Wire protocol between a guard and the decision listener: the schemas of all requests, answers and messages. The listener
// validates requests with them, and the guard validates answers. Either side can be of an earlier version, so names on the
// wire stay unchanged, and unknown fields are ignored.
import { type Static, type TSchema, Type } from 'typebox';
import type { Revision } from '../access/follower.ts';
import { longestLeaseMilliseconds } from '../member/lease.ts';
import type { Found } from '../member/member.ts';

export const guardPath = '/guard/v1/';

const id = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
const revision = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });
const Registering = Type.Object({
  id,
  revision,
  service: Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$' }),
  version: Type.String({ maxLength: 32, pattern: '^[^\\u0000]*$' }),
  leaseMilliseconds: Type.Integer({ minimum: 1000, maximum: longestLeaseMilliseconds }),
});

const named = {
  n: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  mark: Type.String(),
};
const WireFound = Type.Object({
  ...named,
  leaseMilliseconds: Type.Number(),
  at: Type.Number(),
  incarnation: Type.String(),
  isSettled: Type.Boolean(),
  instances: Type.Number(),
});
type WireFound = Static<typeof WireFound>;

/** A call with a JSON answer. */
export interface GuardCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: TSchema;
  readonly answer: TSchema;
}

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
} as const satisfies GuardCall;

/** The name of a part follows. A part is lines of JSON, one record each, compressed with gzip. */
export const guardPartsPath = `${guardPath}parts/`;

/** Calls of guards of the previous version, which are members with a row in the database. */
export const guardCalls = {
  register: {
    method: 'POST',
    path: `${guardPath}register`,
    body: Registering,
    answer: Type.Object({}),
  },
  report: {
    method: 'POST',
    path: `${guardPath}report`,
    body: Type.Object({ id, revision }),
    /** Null if the member has no row. */
    answer: Type.Object({ found: Type.Union([WireFound, Type.Null()]) }),
  },
  deregister: {
    method: 'POST',
    path: `${guardPath}deregister`,
    body: Type.Object({ id }),
    answer: Type.Object({}),
  },
  /** Takes the query `?from=` with a revision. */
  revisions: {
    method: 'GET',
    path: `${guardPath}revisions`,
    // Any value is valid here: changes of a later version can be unreadable, and the guard then loads a full snapshot.
    answer: Type.Object({
      revisions: Type.Array(Type.Object({ ...named, changes: Type.Optional(Type.Unknown()) })),
    }),
  },
} as const satisfies Record<string, GuardCall>;

/**
 * Calls with a streamed answer, line by line. `snapshot` sends records and an end line. `rings` sends the numbers of new
 * revisions, and empty lines as a heartbeat.
 */
export const guardStreams = {
  snapshot: { method: 'GET', path: `${guardPath}snapshot` },
  rings: { method: 'GET', path: `${guardPath}rings` },
} as const;

/** The WebSocket connection of a guard: lease renewals in one direction, leases and changes in the other. */
export const guardLine = { method: 'GET', path: `${guardPath}line` } as const;

const serviceName = Registering.properties.service;

/** One message is one text of JSON. */
export const FromGuard = Type.Union([
  /** The first message. The id is a secret, because knowing it is enough to release the lease. Each memory has a new id. */
  Type.Object({
    kind: Type.Literal('hello'),
    id,
    service: serviceName,
    version: Registering.properties.version,
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

/** The heartbeat interval of the stream `rings`. */
export const ringBeatMilliseconds = 2000;

export function atLeastQuery(n: number): string {
  return `?at-least=${Math.max(0, n)}`;
}

export function readAtLeastQuery(url: string): number {
  return Number(/\?at-least=(\d{1,16})$/.exec(url)?.[1] ?? Number.NaN);
}

/** The query of `snapshot` from a guard whose version supports temporary rules. */
export const withTemporaryRules = '?temporary-rules';

/** NaN if the URL names no revision. */
export function readFromQuery(url: string): number {
  return Number(/\?from=(-?\d{1,16})$/.exec(url)?.[1] ?? Number.NaN);
}

/** The last line of a snapshot. A snapshot without it is truncated, and the guard rejects it. */
export function snapshotEndOf({ n, mark }: Revision): Revision & { readonly kind: 'end' } {
  return { kind: 'end', n, mark };
}

export function foundToWire({ membershipComplete, ...found }: Found): WireFound {
  const { n, mark, leaseMilliseconds, at, incarnation, instances } = found;
  return { n, mark, leaseMilliseconds, at, incarnation, isSettled: membershipComplete, instances };
}
