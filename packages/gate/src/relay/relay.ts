// An instance as a relay: it gives leases on its own memory to the guards of services, and answers for them at the
// barrier. Postgres knows of the instance alone. Why no guard can go by an old state is argued in docs/decisions/0028.
import type { Step } from '../access/follower.ts';
import { compileSchema } from '../compile-schema.ts';
import type { Lease } from '../member/lease.ts';
import type { Downstream } from '../member/member.ts';
import { createGrantedLeases } from './granted-leases.ts';
import { FromGuard, type FromRelay } from './guard-protocol.ts';
import { createRecentRevisions } from './recent-revisions.ts';

export interface Relay extends Downstream {
  /** What the memory of this instance has put in force. */
  follow(step: Step): void;
  connect(line: RelayConnection): Connection;
  /** Gives nothing any more, and sends the guards away. */
  leave(): void;
}

/** The way to one guard. */
export interface RelayConnection {
  send(text: string): void;
  close(): void;
}

export interface Connection {
  receive(text: string): void;
  /** Frees nothing: the guard goes by its lease until that ends. */
  closed(): void;
}

interface RelayOptions {
  /** The instance's own. */
  readonly lease: Pick<Lease, 'isLive' | 'remainingMilliseconds'>;
  readonly leaseMilliseconds: number;
  /** What the database's clock shows at most, in milliseconds, but for a clock of this machine that was set. */
  readonly databaseTime: () => number;
  readonly monotonic: () => number;
}

/** They are stored with every report. */
const mostServices = 100;
/** A killed guard holds a change up for as long. */
const mostGrantMilliseconds = 3000;
/** How long a guard may be behind and still be given a lease: one that never follows holds nobody up for good. */
const mostBehindMilliseconds = 1000;

interface Guard {
  readonly line: RelayConnection;
  identity: { readonly id: string; readonly service: string } | undefined;
  /** The last revision that it has or was sent; undefined where it has to load everything. */
  sent: number | undefined;
}

const isFromGuard = compileSchema(FromGuard);

type Renewal = Extract<FromGuard, { kind: 'renew' }>;
type Refusal = Extract<FromRelay, { kind: 'refused' }>['why'];

export function createRelay({ lease, leaseMilliseconds, databaseTime, monotonic }: RelayOptions): Relay {
  // Shares of the own lease, so that a guard that stops following cannot cost this instance its own.
  const grantMilliseconds = Math.min(mostGrantMilliseconds, leaseMilliseconds * 0.3);
  const behindMilliseconds = Math.min(mostBehindMilliseconds, leaseMilliseconds * 0.1);
  const grants = createGrantedLeases(monotonic);
  const recent = createRecentRevisions(monotonic);
  const guards = new Set<Guard>();
  let isLeaving = false;
  let tellRise = () => {};

  /** Undefined where the guard may have a lease. */
  function judge({ n, mark }: Renewal): Refusal | undefined {
    const { newest } = recent;
    if (isLeaving || newest === undefined || !lease.isLive()) return 'unavailable';
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

  /** What the guard lacks. */
  function bringUpToDate(guard: Guard, { n, mark }: Renewal): void {
    const { newest } = recent;
    if (newest === undefined || n > newest.n) return;
    const from = recent.find(guard.sent ?? n);
    if (from === undefined || (guard.sent === undefined && from.mark !== mark))
      send(guard, { kind: 'load', n: newest.n, mark: newest.mark });
    else {
      const missing = recent.after(from.n);
      if (missing.length > 0) guard.line.send(revisionsText(from, missing));
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
        // Postgres takes nothing else, and what it refuses would cost this instance its lease.
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
      // One text for all of them.
      const text = revisionsText(newest, recent.after(newest.n));
      for (const guard of guards) {
        if (guard.sent === newest.n) {
          guard.line.send(text);
          guard.sent = recent.newest?.n;
        }
      }
    },
    connect(line) {
      const guard: Guard = { line, identity: undefined, sent: undefined };
      guards.add(guard);
      return {
        receive(text) {
          const message = readFromGuard(text);
          if (message === undefined) return line.close();
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
      isLeaving = true;
      for (const guard of guards) send(guard, { kind: 'leaving' });
    },
  };
}

function send({ line }: Guard, message: FromRelay): void {
  line.send(JSON.stringify(message));
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
