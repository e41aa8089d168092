// Starts Portcullis for the benchmarks: tokens are issued without a password hash, and rate limits are above the
// rate of the load generator.
import type { BenchDatabase } from './database.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export async function startPortcullis(
  name: string,
  { url }: BenchDatabase,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return await startServer({
    name,
    file: 'portcullis-server.ts',
    environment: {
      APPLICATION_MODE: 'dev',
      APPLICATION_PORT: '0',
      APPLICATION_DRAIN_SECONDS: '0',
      OPS_PORT: '0',
      DATABASE_URL: url,
      LIMIT_REQUESTS_PER_SECOND: '1000000',
      LIMIT_BURST: '1000000',
      ...settings,
    },
  });
}
