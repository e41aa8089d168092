// Part of the composition root: collects the values of all metrics.

import type { Jobs } from '../base/jobs/jobs.ts';
import { samplesOf } from '../base/ops/decision-counts.ts';
import type { Figures } from '../base/ops/metrics.ts';
import { createProcessFigures } from '../base/ops/process-figures.ts';
import type { RequestCounts } from '../base/ops/request-counts.ts';
import type { PoolSize } from '../cluster/store/store.ts';
import type { StandbyWatch } from '../cluster/store/watch-standbys.ts';
import type { Anchors } from '../logs/evidence/anchors.ts';
import type { LoginLog } from '../logs/login-log/login-log.ts';
import type { DeliveryWorker } from '../people/webhooks/delivery-worker.ts';
import type { AccessParts } from './access.ts';
import type { LoginParts } from './login.ts';
import type { MailParts } from './mail.ts';

interface FigureParts {
  readonly build: { readonly version: string; readonly mode: string };
  readonly isReady: () => boolean;
  readonly pool: PoolSize;
  readonly standbys: StandbyWatch;
  readonly standbyExpected: boolean;
  readonly access: AccessParts;
  readonly login: LoginParts;
  readonly loginLog: LoginLog;
  readonly anchors: Anchors;
  readonly events: DeliveryWorker;
  readonly mail: Pick<MailParts, 'figures'>;
  readonly jobs: Pick<Jobs, 'figures'>;
  readonly counts: RequestCounts;
  readonly countDroppedLines: () => number;
}

export function composeFigures(parts: FigureParts): () => Figures {
  const readProcess = createProcessFigures();
  return () => ({
    portcullis_build_info: [{ labels: parts.build, value: 1 }],
    portcullis_ready: Number(parts.isReady()),
    ...loginFigures(parts),
    portcullis_decisions_total: [
      ...samplesOf('public', parts.counts.decisions.public),
      ...samplesOf('decision', parts.counts.decisions.decision),
    ],
    portcullis_decision_bad_requests_total: parts.counts.misuses,
    ...accessFigures(parts.access),
    portcullis_postgres_connections: [
      { labels: { state: 'idle' }, value: parts.pool.idleCount },
      { labels: { state: 'busy' }, value: parts.pool.totalCount - parts.pool.idleCount },
    ],
    portcullis_postgres_waiting_requests: parts.pool.waitingCount,
    portcullis_synchronous_standbys: [
      { labels: { expected: String(parts.standbyExpected) }, value: parts.standbys.synchronous },
    ],
    ...loginLogFigures(parts.loginLog),
    portcullis_anchor_exports_total: Object.entries(parts.anchors.status()).flatMap(
      ([target, { sent, failed }]) => [
        { labels: { target, outcome: 'sent' }, value: sent },
        { labels: { target, outcome: 'failed' }, value: failed },
      ],
    ),
    ...webhookFigures(parts.events),
    ...mailFigures(parts.mail),
    ...jobFigures(parts.jobs),
    portcullis_process_log_dropped_lines_total: parts.countDroppedLines(),
    ...readProcess(),
  });
}

function loginFigures({ login, counts: { logins, providers, loginSeconds } }: FigureParts) {
  const { hashes, slots, throttleRefusals } = login.status();
  return {
    portcullis_logins_total: logins.read(),
    portcullis_provider_logins_total: providers.read(),
    portcullis_login_duration_seconds: loginSeconds.read(),
    portcullis_password_hashes_waiting: hashes.waiting,
    portcullis_password_hashes_running: hashes.running,
    portcullis_password_hashes_rejected_busy_total: hashes.refused,
    portcullis_logins_in_progress: slots.running,
    portcullis_logins_rejected_busy_total: slots.refused,
    portcullis_throttled_attempts_total: throttleRefusals,
  };
}

function accessFigures({ lease, follower, member, rules, revocations, clusterCounts }: AccessParts) {
  const cluster = clusterCounts.read(follower.revision.n);
  return {
    portcullis_lease_valid: Number(lease.isLive()),
    portcullis_lease_remaining_seconds: lease.remainingMilliseconds() / 1000,
    portcullis_lease_losses_total: cluster.leaseLosses,
    portcullis_revision_enforced: follower.revision.n,
    portcullis_revision_newest: cluster.newest,
    portcullis_revision_lag_seconds: cluster.lagSeconds,
    portcullis_history_lost: Number(cluster.historyLost),
    portcullis_access_sync_failures_total: cluster.followFailures,
    portcullis_clock_offset_seconds: cluster.clockOffsetSeconds,
    portcullis_cluster_members: cluster.members,
    portcullis_guards: Object.entries(member.relay.countServices()).map(([service, value]) => ({
      labels: { service },
      value,
    })),
    portcullis_barrier_wait_seconds: cluster.barrierWaits,
    portcullis_barrier_timeouts_total: cluster.barrierTimeouts,
    portcullis_rules_loaded: countRules(rules.snapshot.rules),
    portcullis_revoked_tokens: revocations.endedTokens,
  };
}

function countRules(ofRoles: ReadonlyMap<string, { readonly size: number }>): number {
  return [...ofRoles.values()].reduce((sum, { size }) => sum + size, 0);
}

function mailFigures({ figures: { sent, deferred, dead, queued, oldestSeconds } }: FigureParts['mail']) {
  return {
    portcullis_mails_total: Object.entries({ sent, deferred, dead }).map(([outcome, value]) => ({
      labels: { outcome },
      value,
    })),
    portcullis_mails_queued: queued,
    portcullis_mails_oldest_queued_seconds: oldestSeconds,
  };
}

/** `sweep sessions` is `sweep_sessions`: the values of all labels are words of letters and underscores. */
const labelsOf = (name: string) => ({ name: name.replaceAll(' ', '_') });

function jobFigures({ figures }: FigureParts['jobs']) {
  const jobs = figures();
  return {
    portcullis_background_job_failures_total: jobs.map(({ name, failures: value }) => ({
      labels: labelsOf(name),
      value,
    })),
    portcullis_background_job_last_success_timestamp_seconds: jobs.map(({ name, succeededAt }) => ({
      labels: labelsOf(name),
      value: succeededAt / 1000,
    })),
  };
}

function loginLogFigures(loginLog: LoginLog) {
  const { lagMilliseconds, spoolBytes, bypassed, unrecorded, deadLetters } = loginLog.status();
  return {
    portcullis_login_log_lag_seconds: lagMilliseconds / 1000,
    portcullis_login_log_spool_bytes: spoolBytes,
    portcullis_login_log_spool_bypassed_total: bypassed,
    portcullis_login_log_unrecorded_total: Object.entries(unrecorded).map(([outcome, value]) => ({
      labels: { outcome },
      value,
    })),
    portcullis_login_log_rejected_records_total: deadLetters,
  };
}

function webhookFigures({ status }: DeliveryWorker) {
  const hooks = [...status()].map(([id, figures]) => ({ webhook: String(id), ...figures }));
  return {
    portcullis_webhook_deliveries_total: hooks.flatMap(({ webhook, delivered, failed }) => [
      { labels: { webhook, outcome: 'delivered' }, value: delivered },
      { labels: { webhook, outcome: 'failed' }, value: failed },
    ]),
    portcullis_webhook_events_expired_total: hooks.map(({ webhook, gone }) => ({
      labels: { webhook },
      value: gone,
    })),
    portcullis_webhook_dead_letters: hooks.map(({ webhook, dead }) => ({ labels: { webhook }, value: dead })),
    portcullis_webhook_lag_seconds: hooks.map(({ webhook, lagSeconds }) => ({
      labels: { webhook },
      value: lagSeconds,
    })),
  };
}
