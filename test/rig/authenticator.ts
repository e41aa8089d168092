// An authenticator app: codes of a secret, each step at most once.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const stepMilliseconds = 30_000;

/** What Debian's `oathtool` says, which is not ours. */
export async function codeOf(secret: string, milliseconds = Date.now()): Promise<string> {
  const now = `@${Math.floor(milliseconds / 1000)}`;
  const { stdout } = await run('oathtool', ['--totp', '--base32', `--now=${now}`, secret]);
  return stdout.trim();
}

/** Of this step and the next: both are good for half a minute more, one after the other. */
export async function codesOf(secret: string): Promise<[string, string]> {
  const now = Date.now();
  return await Promise.all([codeOf(secret, now), codeOf(secret, now + stepMilliseconds)]);
}

/** Of what `login/enrol` gave for an app, which is another thing for a passkey. */
export function secretOf(enrolled: { readonly id: number }): string {
  if (!('secret' in enrolled)) throw new Error('This sets up no authenticator app.');
  return String(enrolled.secret);
}
