// Relay: an instance grants leases on its memory to the guards of services, sends them every change, and reports to the
// barrier for them. Postgres stores only the instance as a member. docs/decisions/0028 argues why no guard uses an old
// state.
import type { Step } from '../access/follower.ts';
import { compileSchema } from '../compile-schema.ts';
import type { Lease } from '../member/lease.ts';
import type { Downstream } from '../member/member.ts';
import { createGrantedLeases } from './granted-leases.ts';
import { FromGuard, type FromRelay } from './guard-protocol.ts';
import { createRecentRevisions } from './recent-revisions.ts';

export interface Relay extends Downstream {
  /** Receives every step that the memory of this instance has applied. */
  follow(step: Step): void;
  connect(connection: RelayConnection): Connection;
  /** Grants no more leases, and tells the guards to connect to another instance. */
  leave(): void;
}

/** A connection to one guard. */
export interface RelayConnection {
  send(text: string): void;
  close(): void;
}

export interface Connection {
  receive(text: string): void;
  /** Does not release the lease: the guard can use its lease until the lease ends. */
  closed(): void;
}

interface RelayOptions {
  /** The lease of this instance. */
  readonly lease: Pick<Lease, 'isLive' | 'remainingMilliseconds'>;
  readonly leaseMilliseconds: number;
  /** The latest time of the database's clock in milliseconds, without the allowance for a wall clock that was set back. */
  readonly databaseTime: () => number;
  readonly monotonic: () => number;
}

/** Limits the size of a report, which stores the counts of all services. */
const mostServices = 100;
/** The longest lease of a guard. A killed guard delays a change for this long. */
const mostGrantMilliseconds = 3000;
/** How long a guard can be behind and still get a lease: a guard that never follows must not delay changes forever. */
const mostBehindMilliseconds = 1000;

interface Guard {
  readonly connection: RelayConnection;
  identity: { readonly id: string; readonly service: string } | undefined;
  /** The last revision that the guard has or was sent; undefined if the guard has to load a snapshot. */
  sent: number | undefined;
}

const isFromGuard = compileSchema(FromGuard);

type Renewal = Extract<FromGuard, { kind: 'renew' }>;
type Refusal = Extract<FromRelay, { kind: 'refused' }>['why'];

export function createRelay({ lease, leaseMilliseconds, databaseTime, monotonic }: RelayOptions): Relay {
  // Fractions of the instance's lease, so that a guard that stops following cannot make this instance lose its lease.
  const grantMilliseconds = Math.min(mostGrantMilliseconds, leaseMilliseconds * 0.3);
  const behindMilliseconds = Math.min(mostBehindMilliseconds, leaseMilliseconds * 0.1);
  const grants = createGrantedLeases(monotonic);
  const recent = createRecentRevisions(monotonic);
  const guards = new Set<Guard>();
  let isShuttingDown = false;
  let tellRise = () => {};

  /** Why the guard gets no lease; undefined if it gets one. */
  function judge({ n, mark }: Renewal): Refusal | undefined {
    const { newest } = recent;
    if (isShuttingDown || newest === undefined || !lease.isLive()) return 'unavailable';
    if (n > newest.n) return 'ahead';
    const known = recent.find(n);
    if (known === undefined) return 'behind';
    if (known.mark !== mark) return 'lost';
    const next = recent.find(n + 1);
    const isLate = next !== undefined && monotonic() - next.at > behindMilliseconds;
    return n < grants.floor || isLate ? 'behind' : undefined;
  }

  function answer(guard: Guard, renewal: Renewal): FromRelay {
    const { seq } = renewal;
    const why = guard.identity === undefined ? 'unavailable' : judge(renewal);
    if (guard.identity === undefined || why !== undefined)
      return { kind: 'refused', seq, why: why ?? 'unavailable' };
    const milliseconds = Math.min(grantMilliseconds, lease.remainingMilliseconds());
    grants.note(guard.identity.id, renewal.n, milliseconds);
    return { kind: 'granted', seq, milliseconds, at: databaseTime() };
  }

  /** Sends the revisions that the guard lacks, or tells it to load a snapshot. */
  function bringUpToDate(guard: Guard, { n, mark }: Renewal): void {
    const { newest } = recent;
    if (newest === undefined || n > newest.n) return;
    const from = recent.find(guard.sent ?? n);
    if (from === undefined || (guard.sent === undefined && from.mark !== mark))
      send(guard, { kind: 'load', n: newest.n, mark: newest.mark });
    else {
      const missing = recent.after(from.n);
      if (missing.length > 0) guard.connection.send(revisionsText(from, missing));
      guard.sent = newest.n;
    }
  }

  function renew(guard: Guard, renewal: Renewal): void {
    send(guard, answer(guard, renewal));
    bringUpToDate(guard, renewal);
    tellRise();
  }

  return {
    commit: grants.commit,
    least: grants.least,
    isAnyLive: grants.isAnyLive,
    onRise(listener) {
      tellRise = listener;
    },
    countServices() {
      const counts = new Map<string, number>();
      for (const { identity } of guards) {
        if (identity === undefined) continue;
        // Postgres rejects ill-formed Unicode, and a rejected report would cost this instance its lease.
        const service = identity.service.toWellFormed();
        if (counts.size < mostServices || counts.has(service))
          counts.set(service, (counts.get(service) ?? 0) + 1);
      }
      return Object.fromEntries(counts);
    },
    follow(step) {
      if (step.kind === 'loaded') {
        recent.restart(step.revision);
        for (const guard of guards) {
          guard.sent = undefined;
          send(guard, { kind: 'load', n: step.revision.n, mark: step.revision.mark });
        }
        return;
      }
      const { newest } = recent;
      recent.add(step.revisions);
      if (newest === undefined) return;
      // Build the text once for all guards.
      const text = revisionsText(newest, recent.after(newest.n));
      for (const guard of guards) {
        if (guard.sent === newest.n) {
          guard.connection.send(text);
          guard.sent = recent.newest?.n;
        }
      }
    },
    connect(connection) {
      const guard: Guard = { connection, identity: undefined, sent: undefined };
      guards.add(guard);
      return {
        receive(text) {
          const message = readFromGuard(text);
          if (message === undefined) return connection.close();
          if (message.kind === 'hello') guard.identity ??= message;
          else if (message.kind === 'renew') renew(guard, message);
          else if (guard.identity !== undefined) {
            grants.release(guard.identity.id);
            tellRise();
          }
        },
        closed: () => void guards.delete(guard),
      };
    },
    leave() {
      isShuttingDown = true;
      for (const guard of guards) send(guard, { kind: 'leaving' });
    },
  };
}

function send({ connection }: Guard, message: FromRelay): void {
  connection.send(JSON.stringify(message));
}

function revisionsText(from: { n: number; mark: string }, revisions: readonly { text: string }[]): string {
  const after = JSON.stringify({ n: from.n, mark: from.mark });
  return `{"kind":"revisions","after":${after},"revisions":[${revisions.map(({ text }) => text).join()}]}`;
}

function readFromGuard(text: string): FromGuard | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isFromGuard(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
