// Measures the CPU time of a service and of its Postgres backends: it separates work from waiting, even when other
// programs use the machine.
import { readFileSync } from 'node:fs';
import { readCpuMilliseconds } from '../../test/rig/cpu-time.ts';
import type { Database } from '../../test/rig/create-database.ts';

export interface Cpu {
  /** All threads of the service, including those that hash. */
  readonly service: number;
  readonly mainThread: number;
  readonly postgres: number;
}

export interface CpuMeter {
  /** The milliseconds since the previous call. */
  lap(): Promise<Cpu>;
}

/** Needs a service with a separate database. */
export async function startCpuMeter(
  database: Database,
  pid: number,
  application = 'portcullis',
): Promise<CpuMeter> {
  let before = await read(database, pid, application);
  return {
    async lap() {
      const now = await read(database, pid, application);
      const lap = {
        service: now.service - before.service,
        mainThread: now.mainThread - before.mainThread,
        // A backend that started in between has no earlier CPU time.
        postgres: [...now.backends]
          .map(([backend, used]) => used - (before.backends.get(backend) ?? 0))
          .reduce((sum, used) => sum + used, 0),
      };
      before = now;
      return lap;
    },
  };
}

async function read(database: Database, pid: number, application: string) {
  const rows = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = $1`,
    [application],
  );
  return {
    service: readCpuMilliseconds(pid),
    mainThread: readRunMilliseconds(`/proc/${pid}/task/${pid}`),
    backends: new Map(rows.map(({ pid: backend }) => [backend, readRunMilliseconds(`/proc/${backend}`)])),
  };
}

/**
 * CPU time of one thread, from nanoseconds: the hundredths of a second that the system reports elsewhere are
 * too coarse for a backend.
 */
function readRunMilliseconds(folder: string): number {
  return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
