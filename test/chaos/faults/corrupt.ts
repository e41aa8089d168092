// Invalid rows (F27, T48, T49): rules that do not parse, changes that are none, a number without
// changes, no number at all. The rest stays in force, nothing is granted for it, and every instance's log says so.
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../../rig/postgres-server.ts';
import { createLatency, type Latency } from '../latency.ts';
import type { OwnScenario } from '../scenario.ts';
import { patienceMilliseconds } from '../send-again.ts';
import { bearer, decisionOf, type Instance, laneRole } from '../start-cluster.ts';
import { checkHealthy, type FaultFrame, runFault, untilEnded } from './run-fault.ts';

/** Each as the method and the path; a naive reader could take any of them for a rule on orders. */
const badRules: readonly (readonly [string, string])[] = [
  ['GET', '/foo/:'],
  ['get', '/api/v1/orders/:id'],
  ['GET', 'api/v1/orders/:id'],
  ['PUT', '/api/v1/orders/:id\n'],
  ['**', '/api/v1/orders/:id'],
  ['DELETE', '*'],
  ['DELETE', '/api/v1/../orders/:id'],
  ['', ''],
];

/** A change of a revision, as JSON. That of an epoch is about a user whose epoch was raised. */
const badChanges = [
  'null',
  '42',
  '"garbage"',
  '{"kind": "rule_added"}',
  '[null]',
  '[{"kind": "granted_everything", "roleKey": "lane"}]',
  '[{"kind": "rule_added", "roleKey": "lane", "method": "GET"}]',
  '[{"kind": "rule_added", "roleKey": "lane", "method": "get", "path": "/api/v1/orders/:id"}]',
  '[{"kind": "token_revoked", "jti": 7}]',
  '[{"kind": "epoch_raised", "userId": 201, "epoch": null}]',
  '[{"kind": "epoch_raised", "userId": 201, "epoch": "last"}]',
  '[{"kind": "role_set", "id": 2}]',
  '[{"kind": "key_added", "kid": "k", "dev": false, "publicJwk": {}}]',
];
const epochUserId = 201;

export const corruptScenario: OwnScenario = {
  title: 'write rows by SQL that mean nothing',
  size: 1,
  instances: 3,
  leaseSeconds: 5,
  run: (run) => runFault(run, { restarts: true }, runCorruptions),
};

async function runCorruptions(frame: FaultFrame): Promise<void> {
  const { cluster, random, rounds, remark } = frame;
  const told = createLatency();
  const endedToken = cluster.issue(epochUserId, { ep: 1 });
  await cluster.command(random.pick(cluster.instances), 'PUT', `/api/v1/users/${epochUserId}/enabled`, {
    enabled: false,
  });
  const forbidden = [
    { path: '/api/v1/orders', headers: bearer(endedToken) },
    ...['GET', 'PUT', 'DELETE'].map((method) => ({
      method,
      path: '/api/v1/orders/5',
      headers: bearer(cluster.issue(2)),
    })),
  ];
  const corrupt = async (what: string, write: () => Promise<unknown>) => {
    const since = performance.now();
    const silent = await whoIsSilentAbout(cluster.instances, write, told);
    frame.check(
      silent === 0,
      `${what}: ${silent} of ${cluster.instances.length} instances did not report it`,
    );
    await checkForbidden(frame, what, forbidden);
    const { milliseconds } = await untilEnded(frame, cluster.instances);
    frame.checkSince(
      since,
      milliseconds < frame.limitOf(500),
      `${what}: a change afterwards took ${milliseconds.toFixed(0)} ms`,
    );
    checkHealthy(frame, cluster.instances, since);
  };

  await rounds(async () => {
    await corrupt('rules that do not parse', () => writeBadRules(frame));
    for (const change of badChanges)
      await corrupt(`the change ${change}`, () => writeRevision(frame, change));
    await skipRevision(frame);
    await checkForbidden(frame, 'a number without changes', forbidden);
    await loseRevision(frame, told);
    await cluster.database.query('delete from rules where role_id = $1 and path = any($2)', [
      laneRole.id,
      badRules.map(([, path]) => path),
    ]);
  });
  remark(`from the row to an instance's log: ${told.text()}`);
}

async function checkForbidden(
  { cluster, check }: FaultFrame,
  what: string,
  forbidden: readonly { path: string; method?: string }[],
): Promise<void> {
  for (const instance of cluster.instances)
    for (const request of forbidden) {
      const outcome = await decisionOf(instance, request);
      check(outcome === 'refused', `${what}: ${request.method ?? 'GET'} ${request.path} was ${outcome}`);
    }
}

/** How many instances wrote no warning or error in time. */
async function whoIsSilentAbout(
  instances: readonly Instance[],
  write: () => Promise<unknown>,
  told: Latency,
): Promise<number> {
  const starts = instances.map(({ server }) => server.process.output.length);
  const startedAt = performance.now();
  await write();
  const waiting = new Set(instances.keys());
  while (waiting.size > 0 && performance.now() - startedAt < patienceMilliseconds) {
    for (const index of waiting) {
      const output = instances[index]?.server.process.output.slice(starts[index]) ?? '';
      if (!/"level":[45]0/.test(output)) continue;
      waiting.delete(index);
      told.add(performance.now() - startedAt);
    }
    await sleep(10);
  }
  return waiting.size;
}

/** A number without changes makes every instance load everything. */
async function writeBadRules({ cluster: { database } }: FaultFrame): Promise<void> {
  await database.query(
    `with bad as (insert into rules (role_id, method, path) select $1, * from unnest($2::text[], $3::text[])),
       next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n)
     select pg_notify('portcullis_revision', n::text) from next`,
    [laneRole.id, badRules.map(([method]) => method), badRules.map(([, path]) => path)],
  );
}

async function writeRevision({ cluster: { database } }: FaultFrame, changes: string): Promise<void> {
  await database.query(
    `with next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n, mark),
       written as (insert into revisions (n, mark, changes) select n, mark, $1::jsonb from next returning n)
     select pg_notify('portcullis_revision', n::text) from written`,
    [changes],
  );
}

async function skipRevision(frame: FaultFrame): Promise<void> {
  const { cluster } = frame;
  const since = performance.now();
  const [row] = await cluster.database.query<{ n: number }>(
    `update current_revision set n = n + 1, mark = gen_random_uuid() returning n::int`,
  );
  await waitUntil('every instance has passed the gap', async () => {
    const [rows] = await cluster.database.query<{ behind: number }>(
      'select count(*)::int as behind from instances where revision < $1',
      [row?.n],
    );
    return rows?.behind === 0;
  });
  await untilEnded(frame, cluster.instances);
  checkHealthy(frame, cluster.instances, since);
}

/** Without the row the newest revision is unknown: closed once the lease is over, and back with the row. */
async function loseRevision({ run, cluster, prober, check }: FaultFrame, told: Latency): Promise<void> {
  const { database, instances } = cluster;
  const lostAt = performance.now();
  await database.query('create table kept as select * from current_revision');
  const silent = await whoIsSilentAbout(
    instances,
    () => database.query('delete from current_revision'),
    told,
  );
  check(silent === 0, `the missing row: ${silent} instances did not report it`);
  await sleep(Math.max(0, lostAt + run.leaseSeconds * 1000 + 500 - performance.now()));
  for (const instance of instances) {
    const { outcome } = await prober.ask(instance, prober.pickGood());
    check(outcome === 'unavailable', `the missing row: the answer was ${outcome} after the lease was over`);
  }
  await database.query('insert into current_revision select * from kept');
  await database.query('drop table kept');
  for (const instance of instances) await prober.untilServes(instance, 10_000);
}
