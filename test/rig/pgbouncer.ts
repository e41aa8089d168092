// A PgBouncer of the test's own before a Postgres of this machine. It ends with the process of the test.
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { waitUntil } from './postgres-server.ts';
import { findFreePort } from './tcp-proxy.ts';

export const poolModes = ['session', 'transaction', 'statement'] as const;

export interface PgBouncer {
  /** The same database by way of it. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPgBouncer(url: string, mode: (typeof poolModes)[number]): Promise<PgBouncer> {
  const { hostname, port: target, username } = new URL(url);
  const port = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-rig-pgbouncer-'));
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: mode,
    default_pool_size: 40,
    max_client_conn: 200,
  };
  await writeFile(settings.auth_file, `"${username}" ""\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${hostname} port=${target}`,
      '[pgbouncer]',
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  );
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const words = ['--reuid=postgres', '--regid=postgres', '--init-groups', '--pdeathsig=KILL', '--'];
  const child = spawn('setpriv', [...words, '/usr/sbin/pgbouncer', join(folder, 'pgbouncer.ini')], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const through = new URL(url);
  through.port = String(port);
  await waitUntil('PgBouncer answers', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended instead of starting:\n${output}`);
    const client = new pg.Client({ connectionString: through.href });
    client.on('error', () => {});
    return await client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return {
    url: through.href,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
