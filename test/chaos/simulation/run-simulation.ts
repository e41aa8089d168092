// Runs the product's code as it is, which must never fail, and with each fault, which must.
import { explore } from './explore.ts';
import { type SimulatedFault, simulatedFaults } from './faults.ts';
import { loadProduct } from './product.ts';
import { runSchedule } from './schedule.ts';
import { type Sighting, sightings } from './sightings.ts';

interface SimulationOptions {
  readonly schedules: number;
  readonly seed: number;
  readonly progress: (done: number) => void;
}

export interface SimulationResult {
  readonly passed: number;
  readonly failures: readonly string[];
  readonly remarks: readonly string[];
}

/** From so many schedules on, what is seldom must have been seen too. */
const largeRun = 100_000;
/** In which a fault must be seen. */
const faultSchedules = { often: 4000, seldom: 400_000 } as const;
const mostViolations = 3;

/** A passed case is a schedule without a violation, or a fault that was seen. */
export async function runSimulation(options: SimulationOptions): Promise<SimulationResult> {
  const { schedules, seed } = options;
  const isLarge = schedules >= largeRun;
  const sound = await runSound(options, isLarge);
  const failures = [...sound.failures];
  const remarks = [...sound.remarks];
  let seen = 0;
  for (const fault of simulatedFaults.filter(({ isSeldom }) => isLarge || isSeldom !== true)) {
    const number = await findFault(fault, seed);
    if (number === undefined) failures.push(`"${fault.name}" (${fault.file}) was not seen`);
    else {
      seen += 1;
      remarks.push(`schedule ${number.toLocaleString('en')} sees "${fault.name}"`);
    }
  }
  return { passed: sound.passed + seen, failures, remarks };
}

async function runSound(
  { schedules, seed, progress }: SimulationOptions,
  isLarge: boolean,
): Promise<SimulationResult> {
  const product = await loadProduct();
  const before = process.cpuUsage();
  const found = await explore({ product, seed, schedules, mostViolations, progress });
  const { user, system } = process.cpuUsage(before);
  const rate = found.schedules / ((user + system) / 1e6);
  const failures: string[] = [];
  for (const { number, violation } of found.violations) failures.push(`schedule ${number}: ${violation}`);
  const [first] = found.violations;
  // Once more, and told.
  if (first !== undefined) await runSchedule({ product, seed, number: first.number, tell: console.error });
  const remarks = [
    `${found.schedules.toLocaleString('en')} schedules, ${found.violations.length} violations, ` +
      `${Math.round(found.events / found.schedules)} events each, ${Math.round(rate).toLocaleString('en')} a second of processor time`,
  ];
  for (const [sighting, meaning] of Object.entries(sightings) as [Sighting, string][]) {
    const count = found.sighted.get(sighting) ?? 0;
    remarks.push(`${count.toLocaleString('en').padStart(12)}  ${meaning}`);
    if (count === 0 && isLarge) failures.push(`never seen, so the run shows too little: ${meaning}`);
  }
  return { passed: found.schedules - found.violations.length, failures, remarks };
}

/** The number of the first schedule that sees it. */
async function findFault(fault: SimulatedFault, seed: number): Promise<number | undefined> {
  const product = await loadProduct(fault);
  const schedules = faultSchedules[fault.isSeldom === true ? 'seldom' : 'often'];
  const { violations } = await explore({ product, seed, schedules, mostViolations: 1 });
  return violations[0]?.number;
}
