// `portcullis log verify`, as an operator runs it, on what the chaos has left.
import type { Database } from '../../rig/create-database.ts';
import { masterKey } from '../../rig/master-key.ts';
import { commandLine, startProcess } from '../../rig/start-process.ts';

export async function verifyChains({ url }: Database): Promise<{ failures: string[]; remark: string }> {
  const process = startProcess({
    script: commandLine,
    arguments: ['log', 'verify'],
    environment: { DATABASE_URL: url, AUTH_MASTER_KEY: masterKey, APPLICATION_MODE: 'dev' },
  });
  const code = await process.exited;
  const told = process.output.trim();
  return {
    // 3: nothing was found, without an anchor.
    failures: code === 3 ? [] : [`log verify exited with ${code}: ${told.slice(-500)}`],
    remark: `log verify: ${told.split('\n').find((line) => line.startsWith('What is there')) ?? ''}`,
  };
}
