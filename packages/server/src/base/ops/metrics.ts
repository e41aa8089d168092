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
    help: 'Always 1; the labels say what runs.',
    labels: ['version', 'mode'],
  },
  portcullis_ready: {
    type: 'gauge',
    help: 'Whether the instance says that it is ready: it listens, is not stopping and holds a lease.',
  },
  portcullis_logins_total: {
    type: 'counter',
    help: 'Login attempts that were answered.',
    labels: ['outcome', 'reason'],
  },
  portcullis_provider_logins_total: {
    type: 'counter',
    help: 'Login attempts by way of a provider that were answered, and with the reason `logout` the logouts that it sent.',
    labels: ['provider', 'reason'],
  },
  portcullis_login_duration_seconds: {
    type: 'histogram',
    help: 'Time of a login attempt with valid parameters, until it was recorded.',
  },
  portcullis_decisions_total: {
    type: 'counter',
    help: 'Requests that the checks decided: to this service, or for a gateway or service that asked.',
    labels: ['listener', 'result'],
  },
  portcullis_decision_bad_requests_total: {
    type: 'counter',
    help: 'Questions to the decision listener with a wrong secret or in a wrong form.',
  },
  portcullis_lease_valid: {
    type: 'gauge',
    help: 'Whether the instance may decide; without a lease it refuses everything with 503.',
  },
  portcullis_lease_remaining_seconds: {
    type: 'gauge',
    help: 'Time for which the instance may still decide without hearing from Postgres.',
  },
  portcullis_lease_losses_total: {
    type: 'counter',
    help: 'Leases that ended before they were renewed; the process log has a line for each, and for each that came back.',
  },
  portcullis_revision_enforced: {
    type: 'gauge',
    help: 'Revision of access that the instance goes by; -1 while it has none.',
  },
  portcullis_revision_newest: {
    type: 'gauge',
    help: 'Newest revision of access that the instance has seen in Postgres.',
  },
  portcullis_revision_lag_seconds: {
    type: 'gauge',
    help: 'Time since the instance first saw a revision that it does not enforce yet; 0 where there is none.',
  },
  portcullis_history_lost: {
    type: 'gauge',
    help: 'Whether changes of access were lost with a failover or a restored backup: no request is allowed until `portcullis recover`.',
  },
  portcullis_access_sync_failures_total: {
    type: 'counter',
    help: 'Failed attempts to follow the changes of access.',
  },
  portcullis_clock_offset_seconds: {
    type: 'gauge',
    help: 'How far the clock of this machine is ahead of that of Postgres, as the last report saw it.',
  },
  portcullis_cluster_members: {
    type: 'gauge',
    help: 'Instances that are registered at Postgres, as the last report saw it.',
  },
  portcullis_guards: {
    type: 'gauge',
    help: 'Guards of services that this instance answers for.',
    labels: ['service'],
  },
  portcullis_barrier_wait_seconds: {
    type: 'histogram',
    help: 'Time that a change which takes something away waited until every member enforced it.',
  },
  portcullis_barrier_timeouts_total: {
    type: 'counter',
    help: 'Waits that ended because a whole lease had passed; silent members were removed.',
  },
  portcullis_rules_loaded: {
    type: 'gauge',
    help: 'Policy rules in force.',
  },
  portcullis_revoked_tokens: {
    type: 'gauge',
    help: 'Ended tokens that are kept in memory.',
  },
  portcullis_password_hashes_waiting: {
    type: 'gauge',
    help: 'Password hashes that wait for their turn.',
  },
  portcullis_password_hashes_running: {
    type: 'gauge',
    help: 'Password hashes that are being computed.',
  },
  portcullis_password_hashes_rejected_busy_total: {
    type: 'counter',
    help: 'Password hashes that were refused because their turn did not come in time.',
  },
  portcullis_logins_in_progress: {
    type: 'gauge',
    help: 'Logins that are being worked on.',
  },
  portcullis_logins_rejected_busy_total: {
    type: 'counter',
    help: 'Logins that were refused because all login slots were taken.',
  },
  portcullis_throttled_attempts_total: {
    type: 'counter',
    help: 'Guesses at a password that had to wait, and were refused.',
  },
  portcullis_postgres_connections: {
    type: 'gauge',
    help: 'Connections of the pool that serves requests.',
    labels: ['state'],
  },
  portcullis_postgres_waiting_requests: {
    type: 'gauge',
    help: 'Statements that wait for a connection of the pool.',
  },
  portcullis_synchronous_standbys: {
    type: 'gauge',
    help: 'Standbys that every change waits for, as seen within the last minute; `expected` is false in dev and where the storage is replicated.',
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
    help: 'Login attempts that the spool did not take, because it has no room or its disk fails, and that were given to Postgres before they were answered.',
  },
  portcullis_login_log_unrecorded_total: {
    type: 'counter',
    help: 'Login attempts that could not be stored anywhere. Such a success was refused.',
    labels: ['outcome'],
  },
  portcullis_login_log_rejected_records_total: {
    type: 'counter',
    help: 'Login records that the database refused and that were set aside.',
  },
  portcullis_anchor_exports_total: {
    type: 'counter',
    help: 'Times that the signed heads of the logs were sent to where they are kept, or could not be.',
    labels: ['target', 'outcome'],
  },
  portcullis_webhook_deliveries_total: {
    type: 'counter',
    help: 'Tries of this instance to deliver an event, by the number of the webhook.',
    labels: ['webhook', 'outcome'],
  },
  portcullis_webhook_events_expired_total: {
    type: 'counter',
    help: 'Events whose records were swept from their log before they could be delivered.',
    labels: ['webhook'],
  },
  portcullis_webhook_dead_letters: {
    type: 'gauge',
    help: 'Events that are tried no more and hold their object, as this instance saw them last.',
    labels: ['webhook'],
  },
  portcullis_webhook_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event that is to be delivered and is not, as this instance saw it last.',
    labels: ['webhook'],
  },
  portcullis_mails_total: {
    type: 'counter',
    help: 'Mails that this instance gave to the SMTP server: sent, deferred to be tried again, or refused for good.',
    labels: ['outcome'],
  },
  portcullis_mails_queued: {
    type: 'gauge',
    help: 'Mails that wait to be sent by any instance; counted once a minute.',
  },
  portcullis_mails_oldest_queued_seconds: {
    type: 'gauge',
    help: 'For how long the oldest of the waiting mails has waited; counted once a minute.',
  },
  portcullis_background_job_failures_total: {
    type: 'counter',
    help: 'Passes of a background job of this instance that failed.',
    labels: ['name'],
  },
  portcullis_background_job_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When a pass of the background job last succeeded on this instance, in seconds since 1970; before the first success, when the job was started.',
    labels: ['name'],
  },
  portcullis_process_log_dropped_lines_total: {
    type: 'counter',
    help: 'Lines of the process log that were dropped because the output was not read.',
  },
  process_cpu_seconds_total: { type: 'counter', help: 'Processor time of the process, user and system.' },
  process_start_time_seconds: { type: 'gauge', help: 'When the process started, in seconds since 1970.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory of the process that is in RAM.' },
  process_open_fds: { type: 'gauge', help: 'Open file descriptors; 0 where the system does not say.' },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Size of the JavaScript heap.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Memory in use on the JavaScript heap.' },
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
