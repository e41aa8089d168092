// Catalogue of all Prometheus metrics, each declared once: /metrics and docs/reference/metrics.md are generated from it. Labels
// have few values, and never a name, an address or a path.
import type { Distribution } from './histogram.ts';

interface Declaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence that a reader understands without any other context. */
  readonly help: string;
  readonly labels?: readonly string[];
}

export const metrics = {
  portcullis_build_info: {
    type: 'gauge',
    help: 'Constant 1; the labels contain the version and the mode of the service.',
    labels: ['version', 'mode'],
  },
  portcullis_ready: {
    type: 'gauge',
    help: 'Readiness: 1 if the instance listens, holds a lease and is not stopping; otherwise 0.',
  },
  portcullis_logins_total: {
    type: 'counter',
    help: 'Answered login attempts.',
    labels: ['outcome', 'reason'],
  },
  portcullis_provider_logins_total: {
    type: 'counter',
    help: 'Answered login attempts through an identity provider. The reason `logout` counts logouts that the provider sent.',
    labels: ['provider', 'reason'],
  },
  portcullis_login_duration_seconds: {
    type: 'histogram',
    help: 'Duration of login attempts with valid parameters, until the service has recorded them.',
  },
  portcullis_decisions_total: {
    type: 'counter',
    help: 'Requests that the checks decided, by listener and result.',
    labels: ['listener', 'result'],
  },
  portcullis_decision_bad_requests_total: {
    type: 'counter',
    help: 'Requests to the decision listener with a wrong secret or in a wrong form.',
  },
  portcullis_lease_valid: {
    type: 'gauge',
    help: 'Lease state: 1 if the instance holds a valid lease; 0 if it has none and refuses all requests that need a token with 503.',
  },
  portcullis_lease_remaining_seconds: {
    type: 'gauge',
    help: 'Remaining time of the lease, in which the instance can decide requests without contact to Postgres.',
  },
  portcullis_lease_losses_total: {
    type: 'counter',
    help: 'Leases that expired before the instance renewed them. The process log has a line for each lost and each regained lease.',
  },
  portcullis_revision_enforced: {
    type: 'gauge',
    help: 'Access revision that the instance enforces; -1 before the first one.',
  },
  portcullis_revision_newest: {
    type: 'gauge',
    help: 'Newest access revision that the instance has seen in Postgres.',
  },
  portcullis_revision_lag_seconds: {
    type: 'gauge',
    help: 'Time since the instance first saw an access revision that it does not enforce yet; 0 if it enforces the newest one.',
  },
  portcullis_history_lost: {
    type: 'gauge',
    help: 'Lost history: 1 if a failover or a restored backup has lost changes of access; the service then refuses all requests that need a token until `portcullis recover`.',
  },
  portcullis_access_sync_failures_total: {
    type: 'counter',
    help: 'Failed attempts to read changes of access from Postgres.',
  },
  portcullis_clock_offset_seconds: {
    type: 'gauge',
    help: 'Clock of this host minus the clock of Postgres, at the last report of the instance.',
  },
  portcullis_cluster_members: {
    type: 'gauge',
    help: 'Instances that are registered in Postgres, at the last report of this instance.',
  },
  portcullis_guards: {
    type: 'gauge',
    help: 'Guards that get their lease from this instance, by service.',
    labels: ['service'],
  },
  portcullis_barrier_wait_seconds: {
    type: 'histogram',
    help: 'Time that revoking changes waited until every member enforced them.',
  },
  portcullis_barrier_timeouts_total: {
    type: 'counter',
    help: 'Revoking changes that waited for a whole lease, after which silent members were removed.',
  },
  portcullis_rules_loaded: {
    type: 'gauge',
    help: 'Policy rules in force.',
  },
  portcullis_revoked_tokens: {
    type: 'gauge',
    help: 'Revoked tokens that the instance keeps in memory.',
  },
  portcullis_password_hashes_waiting: {
    type: 'gauge',
    help: 'Password hashes that wait in the queue.',
  },
  portcullis_password_hashes_running: {
    type: 'gauge',
    help: 'Password hashes in progress.',
  },
  portcullis_password_hashes_rejected_busy_total: {
    type: 'counter',
    help: 'Password hashes that the service rejected because they waited too long in the queue.',
  },
  portcullis_logins_in_progress: {
    type: 'gauge',
    help: 'Logins in progress.',
  },
  portcullis_logins_rejected_busy_total: {
    type: 'counter',
    help: 'Logins that the service rejected because all login slots were in use.',
  },
  portcullis_throttled_attempts_total: {
    type: 'counter',
    help: 'Attempts that the brute-force protection refused because the caller had to wait.',
  },
  portcullis_postgres_connections: {
    type: 'gauge',
    help: 'Connections in the pool for requests, by state.',
    labels: ['state'],
  },
  portcullis_postgres_waiting_requests: {
    type: 'gauge',
    help: 'Statements that wait for a connection of the pool.',
  },
  portcullis_synchronous_standbys: {
    type: 'gauge',
    help: 'Synchronous standbys of Postgres, checked once a minute. The label `expected` is `false` in dev and with replicated storage.',
    labels: ['expected'],
  },
  portcullis_login_log_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest login record that is not in the database yet.',
  },
  portcullis_login_log_spool_bytes: {
    type: 'gauge',
    help: 'Size of the login log spool of this instance.',
  },
  portcullis_login_log_spool_bypassed_total: {
    type: 'counter',
    help: 'Login attempts that the service wrote to Postgres before it answered, because the spool was full or its disk failed.',
  },
  portcullis_login_log_unrecorded_total: {
    type: 'counter',
    help: 'Login attempts that the service could not record in the spool or in Postgres. It refused the successful ones.',
    labels: ['outcome'],
  },
  portcullis_login_log_rejected_records_total: {
    type: 'counter',
    help: 'Login records that Postgres rejected. The service moved them to the table `login_log_dead_letters`.',
  },
  portcullis_anchor_exports_total: {
    type: 'counter',
    help: 'Exports of the signed heads of the logs, by target and outcome.',
    labels: ['target', 'outcome'],
  },
  portcullis_webhook_deliveries_total: {
    type: 'counter',
    help: 'Delivery attempts of this instance, by webhook id and outcome.',
    labels: ['webhook', 'outcome'],
  },
  portcullis_webhook_events_expired_total: {
    type: 'counter',
    help: 'Events that were not delivered because log retention deleted their records first.',
    labels: ['webhook'],
  },
  portcullis_webhook_dead_letters: {
    type: 'gauge',
    help: 'Dead letters, which block later events of the same object, when this instance last looked.',
    labels: ['webhook'],
  },
  portcullis_webhook_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event that waits for delivery, when this instance last looked.',
    labels: ['webhook'],
  },
  portcullis_mails_total: {
    type: 'counter',
    help: 'Mails that this instance passed to the SMTP server, by outcome: sent, deferred for a retry, or refused permanently.',
    labels: ['outcome'],
  },
  portcullis_mails_queued: {
    type: 'gauge',
    help: 'Mails in the queue of all instances, counted once a minute.',
  },
  portcullis_mails_oldest_queued_seconds: {
    type: 'gauge',
    help: 'Age of the oldest mail in the queue, checked once a minute.',
  },
  portcullis_background_job_failures_total: {
    type: 'counter',
    help: 'Failed runs of a background job of this instance.',
    labels: ['name'],
  },
  portcullis_background_job_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the last successful run of a background job of this instance, in seconds since 1970; before the first success, the start time of the job.',
    labels: ['name'],
  },
  portcullis_process_log_dropped_lines_total: {
    type: 'counter',
    help: 'Lines of the process log that the service dropped because the reader of its output was too slow.',
  },
  process_cpu_seconds_total: { type: 'counter', help: 'CPU time of the process, user and system.' },
  process_start_time_seconds: { type: 'gauge', help: 'Start time of the process, in seconds since 1970.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the process.' },
  process_open_fds: {
    type: 'gauge',
    help: 'Open file descriptors; 0 where the operating system does not report them.',
  },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Size of the JavaScript heap.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Used memory of the JavaScript heap.' },
  nodejs_external_memory_bytes: { type: 'gauge', help: 'Memory of buffers outside the JavaScript heap.' },
  nodejs_eventloop_lag_p99_seconds: {
    type: 'gauge',
    help: 'Delay of the event loop since the last scrape, 99th percentile.',
  },
} as const satisfies Record<string, Declaration>;

export type MetricName = keyof typeof metrics;

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type FigureOf<D> = D extends { type: 'histogram' }
  ? Distribution
  : D extends { labels: readonly (infer Label extends string)[] }
    ? readonly { readonly labels: Readonly<Record<Label, string>>; readonly value: number }[]
    : number;

/** The values of all metrics at one moment. */
export type Figures = { readonly [Name in MetricName]: FigureOf<(typeof metrics)[Name]> };
