// Measures several servers in interleaved rounds with one load generator: many short measurements instead of few long
// ones, because the speed of the machine changes within seconds, but hardly between two neighbouring measurements.
import { median, printLine } from './bench.ts';
import { type Measurement, measureServer, type ServerProcess } from './http/server-process.ts';

export interface Side {
  readonly name: string;
  readonly server: ServerProcess;
  /** The wrk script with the requests. */
  readonly script: string;
  readonly measurements: Measurement[];
}

const measureSeconds = 1;
/**
 * A server is warm when its last rounds differ by at most this share; until then V8 still compiles
 * the code of the requests.
 */
const agreement = 0.05;
const agreeing = 3;
const mostWarmUpRounds = 15;

/**
 * Warms up until the measurements of every server are stable, then measures. Every other round runs in reverse order,
 * so that no server always follows the same one.
 */
export async function measureInterleaved(
  bench: string,
  sides: readonly Side[],
  { rounds, quick }: { readonly rounds: number; readonly quick: boolean },
): Promise<void> {
  const warmUp: Measurement[][] = sides.map(() => []);
  for (let round = 0; round < (quick ? 1 : mostWarmUpRounds); round += 1) {
    for (const [index, { server, script }] of sides.entries())
      warmUp[index]?.push(await measureServer(server, script, measureSeconds));
    if (warmUp.every(agree)) break;
  }
  printLine({ bench, warmUpRounds: warmUp[0]?.length, isWarm: warmUp.every(agree) });
  for (let round = 1; round <= rounds; round += 1)
    for (const { name, server, script, measurements } of round % 2 === 0 ? sides : sides.toReversed()) {
      const measured = await measureServer(server, script, measureSeconds);
      measurements.push(measured);
      printLine({ bench, round, server: name, ...measured });
    }
}

/** Compares the CPU time per request, which other programs on the machine change less than the rate. */
function agree(measurements: readonly Measurement[]): boolean {
  const last = measurements.slice(-agreeing).map(({ cpuMicroseconds }) => cpuMicroseconds);
  return last.length === agreeing && Math.max(...last) <= Math.min(...last) * (1 + agreement);
}

/** Joins entries of the same name with all their measurements, which were taken in the same order. */
export function joinMeasurements(sides: readonly Side[]): Side[] {
  const joined = new Map<string, Side>();
  for (const side of sides) {
    const measurements = [...(joined.get(side.name)?.measurements ?? []), ...side.measurements];
    joined.set(side.name, { ...side, measurements });
  }
  return [...joined.values()];
}

export function medianOf(side: Side, figure: keyof Measurement): number {
  return median(side.measurements.map((measured) => measured[figure]));
}

/** The median of the ratios of neighbouring measurements. */
export function ratioOf(one: Side, other: Side): number {
  return median(
    one.measurements.map(
      (measured, round) => measured.requestsPerSecond / (other.measurements[round]?.requestsPerSecond ?? 0),
    ),
  );
}

export function describeSide(side: Side, compared: readonly number[]): string {
  const rate = Math.round(medianOf(side, 'requestsPerSecond')).toLocaleString('en');
  const cpu = medianOf(side, 'cpuMicroseconds').toFixed(1);
  return `| ${side.name} | ${rate} | ${cpu} | ${compared.map((ratio) => ratio.toFixed(2)).join(' | ')} |`;
}
