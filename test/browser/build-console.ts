// The console as it is shipped: built by vite into packages/console/dist, where the server looks for it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from '../rig/start-process.ts';

export async function buildConsole(): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'console'], { cwd: repository });
}
