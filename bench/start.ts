// How long the service takes from its spawn to ready, on a migrated database with 10,000 rules, in prod.
import { randomBytes } from 'node:crypto';
import { type Bench, median, printLine } from './bench.ts';
import { createBenchDatabase } from './http/database.ts';
import { startServer } from './http/server-process.ts';

export const benchStart: Bench = {
  async run({ quick }) {
    const database = await createBenchDatabase();
    const environment = {
      APPLICATION_PORT: '0',
      APPLICATION_DRAIN_SECONDS: '0',
      OPS_PORT: '0',
      DATABASE_URL: database.url,
      AUTH_MASTER_KEY: randomBytes(32).toString('hex'),
    };
    const times: number[] = [];
    try {
      for (let round = 0; round <= (quick ? 3 : 15); round += 1) {
        const start = performance.now();
        const file = '../../packages/operator/src/main.ts';
        const server = await startServer({
          name: 'serve',
          file,
          arguments: ['serve'],
          environment,
          isFree: true,
        });
        const milliseconds = performance.now() - start;
        await server.stop();
        if (round > 0) times.push(milliseconds); // The first one creates the administrator and the key.
        if (round > 0) printLine({ bench: 'start', round, milliseconds: Math.round(milliseconds) });
      }
    } finally {
      await database.drop();
    }
    return {
      tables: `## Start\n\nFrom the spawn of the process to ready, from the sources, ${times.length} times on a migrated database.\n`,
      bars: [
        { what: 'Median time to ready', value: median(times), limit: 1500, unit: 'ms', better: 'lower' },
      ],
      charts: {},
    };
  },
};
