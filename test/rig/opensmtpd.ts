// Debian's OpenSMTPD on a separate port: it takes mail, queues it, and relays it to another server. As root. Without TLS: that of
// Debian 12 has none that works with its OpenSSL (OpenSMTPD/OpenSMTPD#1171).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface OpenSmtpd {
  readonly port: number;
  stop(): Promise<void>;
}

interface OpenSmtpdOptions {
  readonly folder: string;
  /** Of the server that it relays to, on this host. */
  readonly relayPort: number;
}

const patienceMilliseconds = 20_000;

export async function startOpenSmtpd({ folder, relayPort }: OpenSmtpdOptions): Promise<OpenSmtpd> {
  const port = await findFreePort();
  const file = join(folder, 'smtpd.conf');
  const lines = [
    `listen on 127.0.0.1 port ${port}`,
    `action "relay" relay host "smtp://127.0.0.1:${relayPort}"`,
    'match from any for any action "relay"',
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  let output = '';
  const child = spawn('/usr/sbin/smtpd', ['-d', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      output += piece;
    });
  const exited = once(child, 'exit');
  const giveUpAt = performance.now() + patienceMilliseconds;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > giveUpAt) {
      child.kill();
      throw new Error(`OpenSMTPD does not start: ${output}`);
    }
    await sleep(50);
  }
  return { port, stop: () => end(child, exited) };
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  await exited;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    setTimeout(() => socket.destroy(), 500);
  });
}
