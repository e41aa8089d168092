// A real Samba domain controller, which speaks as Active Directory does. It takes the ports that it is known for, so that it runs
// in a separate network namespace: `unshare -n`, with the loopback up.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SambaAd {
  readonly ca: string;
  /** In its certificate. */
  readonly serverName: string;
  tool(...words: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export async function startSambaAd(): Promise<SambaAd> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-samba-'));
  const domain = ['--realm=AD.EXAMPLE.COM', '--domain=ADX', '--server-role=dc', '--dns-backend=NONE'];
  const options = [
    '--option=interfaces=lo',
    '--option=bind interfaces only=yes',
    '--adminpass=Admin-pass-4711',
  ];
  await run('samba-tool', ['domain', 'provision', ...domain, ...options, `--targetdir=${folder}`]);
  const settings = join(folder, 'etc/smb.conf');
  const child = spawn('samba', ['-i', '-s', settings], { stdio: 'ignore', detached: true });
  for (let tries = 0; !(await isListening(636)); tries += 1) {
    if (tries === 240 || child.exitCode !== null) throw new Error('Samba does not listen.');
    await sleep(250);
  }
  const certificate = join(folder, 'private/tls/cert.pem');
  const { stdout } = await run('openssl', ['x509', '-in', certificate, '-noout', '-subject']);
  return {
    ca: await readFile(join(folder, 'private/tls/ca.pem'), 'utf8'),
    serverName: /CN = (\S+)/.exec(stdout)?.[1] ?? '',
    async tool(...words) {
      await run('samba-tool', [...words, '-s', settings]);
    },
    async stop() {
      const ended = once(child, 'exit');
      // Its whole group: it starts further processes.
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const result = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return result;
}
