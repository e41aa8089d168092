// Cluster metrics of one instance: figures from its reports to Postgres, and from the barrier waits of changes that revoke access.
import { HistoryLost, type MemberTransport } from '@portcullis/gate';
import { createHistogram, type Distribution } from './histogram.ts';

export interface ClusterFigures {
  readonly newest: number;
  readonly lagSeconds: number;
  readonly clockOffsetSeconds: number;
  readonly members: number;
  /** Whether changes were lost with a failover or a restored backup, as far as this instance knows. */
  readonly historyLost: boolean;
  readonly followFailures: number;
  readonly leaseLosses: number;
  readonly barrierWaits: Distribution;
  readonly barrierTimeouts: number;
}

export type ClusterCounts = ReturnType<typeof createClusterCounts>;

interface Clocks {
  readonly now: () => number;
  readonly monotonic: () => number;
}

/** Most changes take tens of milliseconds, and none takes longer than the longest lease of 10 s. */
const waitBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export function createClusterCounts({ now, monotonic }: Clocks) {
  const waits = createHistogram(waitBounds);
  let newest = -1;
  let behindSince: number | undefined;
  let clockOffsetSeconds = 0;
  let members = 0;
  let historyLost = false;
  let membershipComplete = true;
  let followFailures = 0;
  let barrierTimeouts = 0;
  let leaseLosses = 0;

  return {
    /** Wraps a transport: each report also updates the metrics. */
    watchReports(transport: MemberTransport): MemberTransport {
      return {
        ...transport,
        async report(revision, guards) {
          const sentAt = now();
          const found = await transport.report(revision, guards);
          if (found === undefined) return undefined;
          newest = found.n;
          behindSince = found.n > revision ? (behindSince ?? monotonic()) : undefined;
          members = found.instances;
          membershipComplete = found.membershipComplete;
          // A report that finds a loss throws `HistoryLost` instead.
          historyLost = false;
          clockOffsetSeconds = ((sentAt + now()) / 2 - found.at) / 1000;
          return found;
        },
      };
    },
    watchWaits: <Written>(pass: (written: Written) => Promise<void>) =>
      async function timedPass(written: Written): Promise<void> {
        const startedAt = monotonic();
        await pass(written).finally(() => waits.observe((monotonic() - startedAt) / 1000));
      },
    countFollowFailure(cause?: unknown): void {
      followFailures += 1;
      historyLost ||= cause instanceof HistoryLost;
    },
    /** The reason for a missing lease, where it helps the operator. */
    whyNoLease(): string | undefined {
      if (historyLost)
        return 'changes were lost with a failover or a restored backup; run `portcullis recover` (docs/how-to/backup.md)';
      return membershipComplete
        ? undefined
        : 'the database restarted or failed over; waiting for it to settle';
    },
    countLeaseLoss(): void {
      leaseLosses += 1;
    },
    countTimeout(): void {
      barrierTimeouts += 1;
    },
    read(enforced: number): ClusterFigures {
      const lagSeconds =
        behindSince === undefined || enforced >= newest ? 0 : (monotonic() - behindSince) / 1000;
      return {
        newest,
        lagSeconds,
        clockOffsetSeconds,
        members,
        historyLost,
        followFailures,
        leaseLosses,
        barrierWaits: waits.read(),
        barrierTimeouts,
      };
    },
  };
}
