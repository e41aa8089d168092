// Measures all engines and sizes in interleaved rounds, so that a slowdown of the machine affects all of them.
import type { AccessRequest } from '@portcullis/policy';
import { lowerQuartile, median, printLine } from '../bench.ts';
import {
  type Ask,
  casbinAsync,
  casbinSync,
  cedar,
  type Engine,
  findMyWayIndex,
  portcullis,
  portcullisMatched,
} from './engines.ts';
import { createWorkload, type Workload } from './workload.ts';

export interface Measured {
  readonly engine: string;
  readonly rules: number;
  /** The median within a round, of the lower quartile of the rounds. */
  readonly nanoseconds: number;
  /** The median of each round, to compare engines and sizes within a round. */
  readonly byRound: readonly number[];
}

export interface Plan {
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Engines that need milliseconds per decision get fewer rounds, and no more rules than this. */
  readonly slowRounds: number;
  readonly mostSlowRules: number;
}

const chunk = 1024;

export async function measureDecisions(plan: Plan): Promise<Measured[]> {
  const workloads = plan.sizes.map((rules) => ({ rules, workload: createWorkload(rules) }));
  const fast: Turn[] = [];
  const slow: Turn[] = [];
  for (const { rules, workload } of workloads) {
    for (const engine of [portcullis, portcullisMatched, findMyWayIndex]) {
      if (rules <= engine.mostRules) fast.push(await createTurn(engine, rules, workload));
    }
    for (const engine of [cedar, casbinSync, casbinAsync]) {
      if (rules > Math.min(engine.mostRules, plan.mostSlowRules)) continue;
      console.error(`bench policy: loading ${rules.toLocaleString('en')} rules into ${engine.name}`);
      slow.push(await createTurn(engine, rules, workload));
    }
  }
  for (let round = 0; round < plan.rounds; round++) {
    for (const turn of fast) timeChunks(turn);
    if (round < plan.slowRounds) for (const turn of slow) await timeSingly(turn);
  }
  return [...fast, ...slow].map(({ engine, rules, byRound }) => {
    const nanoseconds = lowerQuartile(byRound);
    printLine({ bench: 'policy', engine: engine.name, rules, nanoseconds: Math.round(nanoseconds) });
    return { engine: engine.name, rules, nanoseconds, byRound };
  });
}

interface Turn {
  readonly engine: Engine;
  readonly rules: number;
  readonly requests: readonly AccessRequest[];
  readonly ask: Ask;
  readonly byRound: number[];
}

async function createTurn(engine: Engine, rules: number, workload: Workload): Promise<Turn> {
  return {
    engine,
    rules,
    requests: workload.requests,
    ask: await engine.load(workload),
    byRound: [],
  };
}

// The first pass is not timed, because the CPU caches hold another engine's data. A chunk is shorter than a time slice
// of a busy machine, so the median chunk is undisturbed.
function timeChunks({ requests, ask, byRound }: Turn): void {
  for (const request of requests) ask(request);
  const round: number[] = [];
  for (let start = 0; start < requests.length; start += chunk) {
    const part = requests.slice(start, start + chunk);
    const begin = process.hrtime.bigint();
    let allowed = 0;
    for (const request of part) if (ask(request) === true) allowed++;
    const end = process.hrtime.bigint();
    if (allowed === 0 || allowed === chunk) throw new Error('The requests are meant to be mixed.');
    round.push(Number(end - begin) / chunk);
  }
  byRound.push(median(round));
}

async function timeSingly({ engine, rules, requests, ask, byRound }: Turn): Promise<void> {
  const count = rules > 10_000 ? 2 : engine.batch;
  const start = byRound.length * count;
  const round: number[] = [];
  for (const request of requests.slice(start, start + count)) {
    const begin = process.hrtime.bigint();
    await ask(request);
    round.push(Number(process.hrtime.bigint() - begin));
  }
  byRound.push(median(round));
}
