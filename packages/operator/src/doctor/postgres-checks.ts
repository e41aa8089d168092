// Doctor checks on Postgres, on which the guarantees depend (docs/decisions/0006): it answers, keeps
// acknowledged transactions, accepts writes, its clock agrees with the host's, and it has the tables and the
// role that the service needs.
import { ClockWrong, checkClock } from '@portcullis/gate';
import { isLocal, readTarget } from '@portcullis/server/base/settings/lint-transport.ts';
import { lintSessions } from '@portcullis/server/cluster/store/lint-sessions.ts';
import { listKnownMigrations, listPendingMigrations } from '@portcullis/server/cluster/store/migrate.ts';
import { mayChangeLoginLog } from '@portcullis/server/cluster/store/service-role.ts';
import { hasNoneToSpare } from '@portcullis/server/cluster/store/standby-store.ts';
import { eventPoolSize } from '@portcullis/server/compose/events.ts';
import { reasonOf } from '@portcullis/server/compose/reason-of.ts';
import {
  type Check,
  type CheckInput,
  type Finding,
  skipped,
  warning,
  well,
  wrong,
  wrongFor,
} from './check.ts';
import {
  listExecutedMigrations,
  listMissingPrivileges,
  readClock,
  readHistoryState,
  readInstances,
  type ServerFacts,
} from './doctor-store.ts';

const group = 'postgres';
const needs = ['postgres'];
const noConnection = 'no connection to Postgres';

export const postgresChecks: readonly Check[] = [
  {
    id: 'postgres',
    group,
    title: 'server',
    obstacle: noConnection,
    run: checkServer,
  },
  { id: 'postgres-version', group, title: 'version', needs, run: ofServer(checkVersion) },
  { id: 'transport', group, title: 'TLS', run: checkTransport },
  { id: 'writable', group, title: 'writable', needs, run: ofServer(checkWritable) },
  { id: 'sessions', group, title: 'sessions', needs, run: checkSessions },
  { id: 'durability', group, title: 'durability', needs, run: ofServer(checkDurability) },
  { id: 'replication', group, title: 'replication', needs, run: checkOwnReplication },
  { id: 'clock', group, title: 'clock', needs, run: checkServerClock },
  {
    id: 'migrations',
    group,
    title: 'migrations',
    needs,
    obstacle: 'the database lacks tables',
    run: checkMigrations,
  },
  { id: 'history', group, title: 'history', needs: ['migrations'], run: checkHistory },
  { id: 'connections', group, title: 'connections', needs: ['migrations'], run: checkConnections },
  { id: 'service-role', group, title: 'service role', needs: ['migrations'], run: checkRole },
];

function ofServer(look: (facts: ServerFacts) => Finding): Check['run'] {
  return async ({ readServer }) => look(await readServer());
}

const leastVersion = 15;

async function checkServer({ readServer, config }: CheckInput): Promise<Finding> {
  const { host = '', port = 0, database = '' } = readTarget(config.database.url) ?? {};
  try {
    await readServer();
    return well(`${database} at ${host}:${port}`);
  } catch (error) {
    const reason = reasonOf(error);
    const remedy =
      'Check `database.url` (DATABASE_URL), that the server runs, and that it lets this role in.';
    return wrong(
      `no connection to ${database} at ${host}:${port}`,
      reason.endsWith('.') ? reason : `${reason}. ${remedy}`,
    );
  }
}

export function checkVersion({ version, versionNumber }: ServerFacts): Finding {
  const text = version.replace(/ .*$/, '');
  return versionNumber >= leastVersion * 10_000
    ? well(text)
    : wrong(`${text} is too old`, `Upgrade to Postgres ${leastVersion} or later.`);
}

async function checkTransport(input: CheckInput): Promise<Finding> {
  const found = wrongFor(input.problems.transport, 'could be read or redirected on the way');
  if (found !== undefined) return found;
  const host = readTarget(input.config.database.url)?.host ?? '';
  if (isLocal(host)) return well('not needed on this host');
  const facts = await input.readServer().catch(() => undefined);
  if (facts === undefined) return skipped(noConnection);
  const { tls } = facts;
  if (tls !== null) return well(tls);
  return well(
    input.databasePlaintextAllowed ? 'in the clear, as `database.allowPlaintext` says' : 'in the clear',
  );
}

function checkWritable({ isInRecovery, isReadOnly }: ServerFacts): Finding {
  if (isInRecovery)
    return wrong(
      'this is a standby',
      'Let `database.url` lead to the primary; with several hosts in it, add `target_session_attrs=read-write`.',
    );
  return isReadOnly
    ? wrong(
        '`default_transaction_read_only` is on',
        'Run `alter database ... reset default_transaction_read_only` (or `alter role ...`), after finding out who set it: a full disk?',
      )
    : well('primary, takes writes');
}

/** A standby rejects `listen`. */
async function checkSessions({ store, config, readServer }: CheckInput): Promise<Finding> {
  if ((await readServer()).isInRecovery) return skipped('this is a standby');
  const problems = await lintSessions({ url: config.database.url, store, notifications: 4 });
  return wrongFor(problems, 'shared between clients') ?? well('of this service alone');
}

function checkDurability(facts: ServerFacts): Finding {
  const off = [
    ...(facts.fsync === 'on' ? [] : ['fsync']),
    ...(facts.fullPageWrites === 'on' ? [] : ['full_page_writes']),
    ...(facts.synchronousCommit === 'off' ? ['synchronous_commit'] : []),
  ];
  if (off.length > 0)
    return wrong(
      `${off.join(', ')} ${off.length === 1 ? 'is' : 'are'} off`,
      `A crash can lose what was answered, such as a user who was disabled. Run ${off.map((name) => `\`alter system set ${name} = on\``).join(', ')} and \`select pg_reload_conf()\`.`,
    );
  if (facts.synchronousCommit === 'local' && facts.synchronousStandbyNames !== '')
    return warning(
      '`synchronous_commit` is local',
      'Commits do not wait for the synchronous standby. Set it to on.',
    );
  return well(`fsync, full_page_writes, synchronous_commit ${facts.synchronousCommit}`);
}

async function checkOwnReplication({ readServer, config }: CheckInput): Promise<Finding> {
  return checkReplication(await readServer(), config.database.durability);
}

export function checkReplication(facts: ServerFacts, durability: 'standby' | 'storage'): Finding {
  const { synchronousStandbyNames: names, synchronousStandbys, standbys } = facts;
  if (names === '')
    return durability === 'storage'
      ? well('of the storage, as `database.durability` says')
      : warning(
          'no synchronous standby',
          'A lost disk or a failover loses the last changes; then run `portcullis recover`. Set `synchronous_standby_names` to `ANY 1 (a, b)`, with the names of two standbys, or `database.durability` to `storage` where the storage itself is replicated.',
        );
  const count = synchronousStandbys ?? standbys;
  if (count === 0)
    return wrong(
      `none of "${names}" is connected`,
      'Every change waits for it forever. Start the standby, or take it out of `synchronous_standby_names` and reload.',
    );
  const text = `${count} standby ${synchronousStandbys === null ? 'connected' : 'in step'}`;
  return hasNoneToSpare(facts)
    ? warning(
        `${text}, none to spare`,
        'Where one is lost, every change waits for it, and one lease later every check is refused. Run another one, and set `synchronous_standby_names` to `ANY 1 (a, b)`; under Patroni, run another one.',
      )
    : well(text);
}

async function checkServerClock({ store }: CheckInput): Promise<Finding> {
  const instant = () => ({ wall: Date.now(), monotonic: performance.now() });
  const sentAt = instant();
  const databaseAt = await readClock(store);
  const receivedAt = instant();
  try {
    checkClock(databaseAt, sentAt, receivedAt);
    const off = Math.max(0, sentAt.wall - databaseAt, databaseAt - receivedAt.wall);
    return well(`${Math.round(off)} ms off Postgres, at most 2000`);
  } catch (error) {
    if (!(error instanceof ClockWrong)) throw error;
    return wrong('too far off: no lease, no logins', error.message);
  }
}

async function checkMigrations({ store, config }: CheckInput): Promise<Finding> {
  const pending = await listPendingMigrations(store);
  if (pending.length > 0)
    return wrong(
      `${pending.length} are missing, the first is ${pending[0]}`,
      config.migrateOnStart ? 'Start the service, or run `portcullis migrate`.' : 'Run `portcullis migrate`.',
    );
  const known = new Set(await listKnownMigrations());
  const strange = (await listExecutedMigrations(store)).filter((name) => !known.has(name));
  return strange.length > 0
    ? warning(
        `the database is newer: ${strange.at(-1)}`,
        'Use the program of the release that made it; an older one may run only during a rolling update.',
      )
    : well(`all ${known.size} applied`);
}

async function checkHistory({ store }: CheckInput): Promise<Finding> {
  const { n, lostAt } = await readHistoryState(store);
  return lostAt === null
    ? well(`at revision ${n}, none lost that anybody knows of`)
    : wrong(
        `changes were lost; found ${lostAt.toISOString()}`,
        'A failover or a restored backup lost changes of access, and ended tokens may live again: nobody is allowed anything. Run `portcullis recover`, which ends every session (docs/how-to/backup.md).',
      );
}

/**
 * An instance uses its pool, one connection for its lease, and the connections for webhooks. During a rolling update one
 * more instance runs.
 */
async function checkConnections({ config, readServer, store }: CheckInput): Promise<Finding> {
  const { connectionLimit, foreignConnections } = await readServer();
  const instances = (await readInstances(store)).length;
  const each = config.database.poolSize + 1 + eventPoolSize;
  const most = Math.max(1, instances) + 1;
  const free = connectionLimit - foreignConnections;
  return most * each > free
    ? warning(
        `${most} instances want ${most * each}, there are ${free}`,
        'Raise `max_connections`, or lower `database.poolSize`. (Counted with one instance more than now, for an update.)',
      )
    : well(`${each} an instance: room for ${Math.floor(free / each)}`);
}

async function checkRole({ store, config, readServer }: CheckInput): Promise<Finding> {
  const { role } = await readServer();
  const [lacks, ...others] = await listMissingPrivileges(store);
  const remedy = `As the owner of the tables, run \`portcullis migrate --service-role ${role}\``;
  if (lacks !== undefined)
    return wrong(
      `${role} lacks ${lacks}${others.length === 0 ? '' : ` and ${others.length} more`}`,
      `${remedy}.`,
    );
  if (config.migrateOnStart) return well(`${role}, which migrates in dev`);
  return (await mayChangeLoginLog(store))
    ? warning(
        `${role} may change and delete the login log`,
        'Give the service a separate role: `createuser portcullis`, then as the owner of the tables `portcullis migrate --service-role portcullis`.',
      )
    : well(`${role} may only add to the logs`);
}
