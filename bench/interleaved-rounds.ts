// Rounds in which every server has its turn under one generator: many short turns instead of few long ones, because the
// machine's own speed changes within seconds and the ratio of two neighbouring turns does not.
import { median, printLine } from './bench.ts';
import { type ServerProcess, type Turn, takeTurn } from './http/server-process.ts';

export interface Side {
  readonly name: string;
  readonly server: ServerProcess;
  /** Of wrk: what it sends. */
  readonly script: string;
  readonly turns: Turn[];
}

const turnSeconds = 1;
/** Warm is a side whose last rounds differ by so much at most: until then V8 still compiles what is asked. */
const agreement = 0.05;
const agreeing = 3;
const mostWarmUpRounds = 15;

/** Warms up until all sides agree with themselves, then measures. Every other round goes backwards, so that nobody always follows the same one. */
export async function measureTurns(
  bench: string,
  sides: readonly Side[],
  { rounds, quick }: { readonly rounds: number; readonly quick: boolean },
): Promise<void> {
  const warmUp: Turn[][] = sides.map(() => []);
  for (let round = 0; round < (quick ? 1 : mostWarmUpRounds); round += 1) {
    for (const [index, { server, script }] of sides.entries())
      warmUp[index]?.push(await takeTurn(server, script, turnSeconds));
    if (warmUp.every(agree)) break;
  }
  printLine({ bench, warmUpRounds: warmUp[0]?.length, isWarm: warmUp.every(agree) });
  for (let round = 1; round <= rounds; round += 1)
    for (const { name, server, script, turns } of round % 2 === 0 ? sides : sides.toReversed()) {
      const turn = await takeTurn(server, script, turnSeconds);
      turns.push(turn);
      printLine({ bench, round, server: name, ...turn });
    }
}

/** By the processor time of a request, which others on the machine change less than the rate. */
function agree(turns: readonly Turn[]): boolean {
  const last = turns.slice(-agreeing).map(({ cpuMicroseconds }) => cpuMicroseconds);
  return last.length === agreeing && Math.max(...last) <= Math.min(...last) * (1 + agreement);
}

/** Those of the same name become one, with the turns of all: they were taken in the same order. */
export function joinTurns(sides: readonly Side[]): Side[] {
  const joined = new Map<string, Side>();
  for (const side of sides) {
    const turns = [...(joined.get(side.name)?.turns ?? []), ...side.turns];
    joined.set(side.name, { ...side, turns });
  }
  return [...joined.values()];
}

export function medianOf(side: Side, figure: keyof Turn): number {
  return median(side.turns.map((turn) => turn[figure]));
}

/** The median of the ratios of neighbouring turns. */
export function ratioOf(one: Side, other: Side): number {
  return median(
    one.turns.map((turn, round) => turn.requestsPerSecond / (other.turns[round]?.requestsPerSecond ?? 0)),
  );
}

export function describeSide(side: Side, compared: readonly number[]): string {
  const rate = Math.round(medianOf(side, 'requestsPerSecond')).toLocaleString('en');
  const cpu = medianOf(side, 'cpuMicroseconds').toFixed(1);
  return `| ${side.name} | ${rate} | ${cpu} | ${compared.map((ratio) => ratio.toFixed(2)).join(' | ')} |`;
}
