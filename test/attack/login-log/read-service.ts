// The service of the rig with its process log read by a `cat`, which a test can stop by the pid that it prints. The
// log goes through a `pipe`, as in a shell and in containers, or a `socket`, as to the journal of systemd.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , kind, script = ''] = process.argv;
const { reader, output, release } = kind === 'socket' ? readSocket() : readPipe();
// Not by `process.stdout`, which would make writing fail for the reader where it cannot be done at once.
writeSync(1, `${JSON.stringify({ reader: reader.pid })}\n`);
const service = spawn(process.execPath, [...process.execArgv, script], {
  stdio: ['ignore', output, 'inherit'],
});
// The reader ends with the last writer.
release();
process.on('SIGTERM', () => service.kill('SIGTERM'));
service.on('exit', (code) => {
  reader.kill('SIGCONT');
  process.exitCode = code ?? 1;
});

function readSocket() {
  const reader = spawn('cat', { stdio: ['pipe', 'inherit', 'inherit'] });
  return { reader, output: reader.stdin, release: () => reader.stdin.destroy() };
}

function readPipe() {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-pipe-'));
  const pipe = join(folder, 'log');
  execFileSync('mkfifo', [pipe]);
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'inherit', 'inherit'] });
  const output = openSync(pipe, 'w');
  rmSync(folder, { recursive: true });
  return { reader, output, release: () => closeSync(output) };
}
