// The three examples, started as their READMEs say: where the orders are, where one logs in, and what was entered.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../rig/create-database.ts';
import { commandLine, type RigProcess, startProcess, startProgram } from '../rig/start-process.ts';
import { startServer } from '../rig/start-server.ts';
import { startNginx } from './start-nginx.ts';

export interface Example {
  /** Where browsers reach the orders. */
  readonly port: number;
  /** Where they log in and out. */
  readonly portcullisPort: number;
  /** The process that holds the handlers. */
  readonly process: RigProcess;
  stop(): Promise<void>;
}

const secret = 'orders-0123456789-abcdefghijklmnop';

async function startInProcess({ url }: Database): Promise<Example> {
  const server = await startServer({ databaseUrl: url, script: 'examples/in-process/main.ts' });
  const { port, process } = server;
  return {
    port,
    portcullisPort: port,
    process,
    stop: async () => expectEnd(await server.stop(), process),
  };
}

async function startExpress({ url }: Database): Promise<Example> {
  const portcullis = await startPortcullis(url);
  const process = startProcess({
    script: 'examples/express-guard/main.ts',
    environment: { ...environmentOf(portcullis.decisionPort), DATABASE_URL: url },
  });
  const port = await portOf(process);
  return {
    port,
    portcullisPort: portcullis.port,
    process,
    async stop() {
      process.signal('SIGTERM');
      expectEnd(await process.exited, process);
      await portcullis.stop();
    },
  };
}

async function startPython({ url }: Database): Promise<Example> {
  const portcullis = await startPortcullis(url);
  const { decisionPort } = portcullis;
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-orders-'));
  const process = startProgram('python3', ['examples/python-nginx/orders.py'], {
    ...environmentOf(decisionPort),
    ORDERS_FILE: join(folder, 'orders.db'),
  });
  const nginx = await startNginx({ decisionPort, servicePort: await portOf(process), secret });
  return {
    port: nginx.port,
    portcullisPort: portcullis.port,
    process,
    async stop() {
      await nginx.stop();
      process.signal('SIGTERM');
      await process.exited;
      await portcullis.stop();
      await rm(folder, { recursive: true });
    },
  };
}

export const examples = [
  ['in-process', startInProcess],
  ['express-guard', startExpress],
  ['python-nginx', startPython],
] as const;

function startPortcullis(databaseUrl: string) {
  const settings = { DECISION_SECRET: secret };
  return startServer({ databaseUrl, script: commandLine, arguments: ['serve'], settings });
}

function environmentOf(decisionPort: number): Record<string, string> {
  return { DECISION_URL: `http://127.0.0.1:${decisionPort}`, DECISION_SECRET: secret, PORT: '0' };
}

async function portOf(process: RigProcess): Promise<number> {
  return Number((await process.waitForLine(/^Listening on \d+$/)).split(' ').at(-1));
}

function expectEnd(code: number | null, { output }: RigProcess): void {
  if (code !== 0) throw new Error(`The example ended with ${code}:\n${output}`);
}
