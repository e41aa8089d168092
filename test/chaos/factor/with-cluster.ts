// A cluster on a separate Postgres, on which people log in without a captcha and with passwords that cost nothing.
import { withPostgres } from '../faults/with-postgres.ts';
import type { ChaosResult, ChaosRun } from '../scenario.ts';
import { type Cluster, startCluster } from '../start-cluster.ts';
import { cheapLogins } from './people.ts';

export async function withCluster(
  run: ChaosRun,
  work: (cluster: Cluster) => Promise<ChaosResult>,
  settings: Readonly<Record<string, string>> = {},
): Promise<ChaosResult> {
  return await withPostgres({}, async (postgres) => {
    const { instances, leaseSeconds } = run;
    const cluster = await startCluster({
      instances,
      leaseSeconds,
      rules: 1000,
      server: postgres.url(),
      settings: { ...cheapLogins, ...settings },
    });
    try {
      await cluster.database.query('alter table users alter column id restart with 5000');
      run.enter('work');
      return await work(cluster);
    } finally {
      run.enter('end');
      await cluster.stop();
    }
  });
}
