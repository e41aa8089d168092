// Benchmark of the start of the service: the time from spawn to ready on a migrated database with 10,000 rules, in prod
// mode, with Node's compile cache of an earlier start and without it, as after an installation.
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type Bench, type BenchResult, median, printLine } from './bench.ts';
import { createBenchDatabase } from './http/database.ts';
import { startServer } from './http/server-process.ts';

interface Side {
  readonly name: string;
  readonly checkout: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly times: number[];
}

const here = resolve(import.meta.dirname, '..');

export const benchStart: Bench = {
  async run({ quick, beside }) {
    const again: Side = { name: 'Started before', checkout: here, times: [] };
    const first: Side = {
      name: 'Nothing compiled yet',
      checkout: here,
      environment: { NODE_DISABLE_COMPILE_CACHE: '1' },
      times: [],
    };
    const sides = [again, first];
    if (beside !== undefined) sides.push({ name: beside, checkout: resolve(beside), times: [] });
    const database = await createBenchDatabase();
    const environment = {
      APPLICATION_PORT: '0',
      APPLICATION_DRAIN_SECONDS: '0',
      OPS_PORT: '0',
      DATABASE_URL: database.url,
      AUTH_MASTER_KEY: randomBytes(32).toString('hex'),
    };
    try {
      // Round 0 creates the administrator and the key, and fills the compile cache.
      for (let round = 0; round <= (quick ? 3 : 15); round += 1)
        for (const side of sides) {
          const milliseconds = await timeStart(side, environment);
          if (round === 0) continue;
          side.times.push(milliseconds);
          printLine({ bench: 'start', side: side.name, round, milliseconds: Math.round(milliseconds) });
        }
    } finally {
      await database.drop();
    }
    return report(again, sides);
  },
};

async function timeStart({ checkout, environment }: Side, common: NodeJS.ProcessEnv): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer({
    name: 'serve',
    file: join(checkout, 'packages/operator/src/main.ts'),
    arguments: ['serve'],
    environment: { ...common, ...environment },
    isFree: true,
  });
  const milliseconds = performance.now() - startedAt;
  await server.stop();
  return milliseconds;
}

function report(again: Side, sides: readonly Side[]): BenchResult {
  const rows = sides.map(({ name, times }) => `| ${name} | ${Math.round(median(times))} ms |`);
  return {
    tables: [
      '## Start\n',
      `From the spawn of the process to ready, from the sources, ${again.times.length} times each in turns, on a migrated database.\n`,
      '| | Median |',
      '|---|--:|',
      ...rows,
      '',
    ].join('\n'),
    bars: [
      { what: 'Median time to ready', value: median(again.times), limit: 1500, unit: 'ms', better: 'lower' },
    ],
    charts: {},
  };
}
