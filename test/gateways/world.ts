// Portcullis as a process with its decision listener, and the guarded service: what stands behind every gateway.
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Server, startServer } from '../rig/start-server.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

export interface World {
  readonly service: Service;
  readonly upstream: Upstream;
  readonly secret: string;
  readonly publicPort: number;
  readonly decisionPort: number;
  /** As it is now; another process after a restart. */
  readonly server: Server;
  kill(): Promise<void>;
  /** At the same ports. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const secret = randomBytes(32).toString('hex');
  const settings = { APPLICATION_MODE: 'prod', DECISION_SECRET: secret };
  const service = await startService({ mode: 'prod', settings });
  const upstream = await startUpstream();
  const { port: publicPort, decisionPort } = service.server;
  let { server } = service;
  return {
    service,
    upstream,
    secret,
    publicPort,
    decisionPort,
    get server() {
      return server;
    },
    async kill() {
      server.process.signal('SIGKILL');
      await server.process.exited;
    },
    async restart() {
      server = await startServer({
        databaseUrl: service.database.url,
        settings: { ...settings, APPLICATION_PORT: String(publicPort), DECISION_PORT: String(decisionPort) },
      });
    },
    async stop() {
      if (server !== service.server) await server.stop();
      await service.stop();
      upstream.close();
    },
  };
}

/** Until it does not throw any more. */
export async function eventually(what: () => Promise<unknown>, milliseconds = 20_000): Promise<void> {
  for (const until = performance.now() + milliseconds; ; ) {
    try {
      await what();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await setTimeout(50);
    }
  }
}
