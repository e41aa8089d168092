// The log while something else is broken (F10, F15): Postgres, its table, the disk of the spool, or both.
import { execFileSync } from 'node:child_process';
import { startPostgresServer } from '../../rig/postgres-server.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { type LogFault, runLogFault } from './faults/frame.ts';
import { postgresFaults } from './faults/postgres-faults.ts';
import { mountSmallDisk, type SmallDisk } from './faults/small-disk.ts';
import { createBothFullFault, createFullSpoolFault, freeAtStartBytes } from './faults/spool-faults.ts';
import { createFullTablespaceFault, lockedTableFault } from './faults/table-faults.ts';

/** Its size is the seconds that each fault lasts. */
export const logFaultsScenario: OwnScenario = {
  title: 'faults of Postgres and of disks under login load, so many seconds each',
  size: 1,
  instances: 1,
  leaseSeconds: 2,
  run: runFaults,
};

const smallDiskMegabytes = 16;

async function runFaults({ size, seed, enter }: ChaosRun): Promise<ChaosResult> {
  const failures: string[] = [];
  const remarks: string[] = [];
  let passed = 0;
  const postgres = await startPostgresServer({ settings: { max_connections: '40' } });
  async function hold(fault: LogFault): Promise<void> {
    if (failures.length >= mostFailures) return;
    const startedAt = performance.now();
    const held = await runLogFault(fault, postgres, { seconds: size, seed });
    failures.push(...held.failures);
    remarks.push(...held.remarks, `${fault.name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    passed += held.failures.length === 0 ? 1 : 0;
  }
  enter('work');
  try {
    for (const fault of postgresFaults) await hold(fault);
    await hold(lockedTableFault);
    await withDisk(ownerOfPostgres(), (disk) => hold(createFullTablespaceFault(disk)));
    await withDisk(undefined, async (disk) => {
      await disk.fill(freeAtStartBytes.some);
      await hold(createFullSpoolFault(disk));
    });
    await withDisk(ownerOfPostgres(), (tableDisk) =>
      withDisk(undefined, async (disk) => {
        await disk.fill(freeAtStartBytes.none);
        await hold(createBothFullFault(disk, tableDisk));
      }),
    );
  } finally {
    enter('end');
    await postgres.remove();
  }
  return { passed, failures: failures.slice(0, mostFailures), remarks };
}

async function withDisk(
  owner: { uid: number; gid: number } | undefined,
  work: (disk: SmallDisk) => Promise<void>,
): Promise<void> {
  const disk = await mountSmallDisk(smallDiskMegabytes, owner);
  try {
    await work(disk);
  } finally {
    await disk.unmount();
  }
}

function ownerOfPostgres(): { uid: number; gid: number } {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
