// A Postgres for suites that make and drop databases by the hundred: `TMPDIR=/dev/shm node test/rig/postgres-in-memory.ts`
// writes its URL and serves until its input ends. Its files are in memory, so that no suite waits for the disk.
import { text } from 'node:stream/consumers';
import { startPostgresServer } from './postgres-server.ts';

const server = await startPostgresServer({ settings: { autovacuum: 'off' } });
process.stdout.write(`${server.url()}\n`);
await text(process.stdin);
await server.remove();
