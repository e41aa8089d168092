// What a guard and the decision listener say to each other, declared once: the listener validates what it is asked by it,
// the guard what it is answered. Either side may be of an earlier version: a name on the wire stays, and a field that is
// not known is passed over.
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

/** A call with an answer of JSON. */
export interface GuardCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: TSchema;
  readonly answer: TSchema;
}

/** What a guard loads when it starts: the parts that make up a revision, each named by the SHA-256 of its bytes. */
export const Manifest = Type.Object({
  ...named,
  parts: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' })),
});
export type Manifest = Static<typeof Manifest>;

/** With `?at-least=` and a revision. */
export const guardManifest = {
  method: 'GET',
  path: `${guardPath}manifest`,
  answer: Manifest,
} as const satisfies GuardCall;

/** The name of a part follows: lines of JSON, a piece each, compressed with gzip. */
export const guardPartsPath = `${guardPath}parts/`;

/** How guards of the version before, which have rows of their own, are members. */
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
    /** Null where the member has no row. */
    answer: Type.Object({ found: Type.Union([WireFound, Type.Null()]) }),
  },
  deregister: {
    method: 'POST',
    path: `${guardPath}deregister`,
    body: Type.Object({ id }),
    answer: Type.Object({}),
  },
  /** With `?from=` and a revision. */
  revisions: {
    method: 'GET',
    path: `${guardPath}revisions`,
    // Of a later version, changes may be unreadable: the guard loads everything then, and fails at nothing.
    answer: Type.Object({
      revisions: Type.Array(Type.Object({ ...named, changes: Type.Optional(Type.Unknown()) })),
    }),
  },
} as const satisfies Record<string, GuardCall>;

/** Their answers come line by line: pieces and the end; the numbers of revisions, and empty lines as a sign of life. */
export const guardStreams = {
  snapshot: { method: 'GET', path: `${guardPath}snapshot` },
  rings: { method: 'GET', path: `${guardPath}rings` },
} as const;

/** Two ways, as a WebSocket: a guard's lease, and what changes. */
export const guardLine = { method: 'GET', path: `${guardPath}line` } as const;

const serviceName = Registering.properties.service;

/** One message is one text of JSON. */
export const FromGuard = Type.Union([
  /** First. The id is the guard's secret, and new with every memory: whoever knows it can give the lease back. */
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
  /** The guard goes by no lease of this instance any more. */
  Type.Object({ kind: Type.Literal('release') }),
]);
export type FromGuard = Static<typeof FromGuard>;

export const FromRelay = Type.Union([
  /** From when the guard sent the question on; what the database's clock shows. */
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
  /** They follow on `after`. */
  Type.Object({
    kind: Type.Literal('revisions'),
    after: Type.Object(named),
    // Of a later version, changes may be unreadable: the guard loads everything then, and fails at nothing.
    revisions: Type.Array(Type.Object({ ...named, changes: Type.Optional(Type.Unknown()) })),
  }),
  /** What the guard enforces is too old to follow on: it is to load everything, at this revision or a later one. */
  Type.Object({ kind: Type.Literal('load'), ...named }),
  /** The instance ends: the guard is to go to another one, and to release its lease here. */
  Type.Object({ kind: Type.Literal('leaving') }),
]);
export type FromRelay = Static<typeof FromRelay>;

/** How long the listener leaves a stream of rings silent. */
export const ringBeatMilliseconds = 2000;

export function atLeastQuery(n: number): string {
  return `?at-least=${Math.max(0, n)}`;
}

export function readAtLeastQuery(url: string): number {
  return Number(/\?at-least=(\d{1,16})$/.exec(url)?.[1] ?? Number.NaN);
}

/** Asked for by a guard that knows of ends, as the query of the snapshot. */
export const withTemporaryRules = '?temporary-rules';

/** NaN where the address asks for no revision. */
export function readFromQuery(url: string): number {
  return Number(/\?from=(-?\d{1,16})$/.exec(url)?.[1] ?? Number.NaN);
}

/** The last line of a snapshot: one that is cut off has none, and counts for nothing. */
export function snapshotEndOf({ n, mark }: Revision): Revision & { readonly kind: 'end' } {
  return { kind: 'end', n, mark };
}

export function foundToWire({ membershipComplete, ...found }: Found): WireFound {
  const { n, mark, leaseMilliseconds, at, incarnation, instances } = found;
  return { n, mark, leaseMilliseconds, at, incarnation, isSettled: membershipComplete, instances };
}
