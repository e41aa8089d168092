// Starts the service as a separate process on a port that is already held: one that tried to bind it would exit 1,
// so exit 78 shows that it never tried.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import { commandLine, startProcess } from '../../rig/start-process.ts';
import { baseSettings } from '../../rig/start-server.ts';

/** No database answers here: a refusal of the settings comes before the first connection. */
const noDatabase = 'postgres://postgres@127.0.0.1:9/none';

/** The milliseconds until it exits. */
export async function expectStartRefused(
  settings: Readonly<Record<string, string>>,
  reason: RegExp,
): Promise<number> {
  const holder = createServer().listen(0, '0.0.0.0');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  const startedAt = performance.now();
  const process = startProcess({
    script: commandLine,
    arguments: ['serve'],
    environment: { ...baseSettings(noDatabase), APPLICATION_PORT: String(port), ...settings },
  });
  const code = await process.exited.finally(() => holder.close());
  expect(process.output).toMatch(reason);
  expect(code).toBe(78);
  return performance.now() - startedAt;
}
