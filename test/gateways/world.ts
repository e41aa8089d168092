// Portcullis as a process with its decision listener, and the guarded service, behind every gateway.
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { judgesTimes } from '../rig/judges-times.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { findFreePort } from '../rig/tcp-proxy.ts';
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
  // Ports that no outgoing connection is given while the service is down.
  const [publicPort, decisionPort] = [await findFreePort(), await findFreePort()];
  const settings = {
    // A machine that may stand still is waited for, see test/rig/patient-pool.ts.
    RIG_PATIENCE: String(!judgesTimes),
    APPLICATION_MODE: 'prod',
    APPLICATION_PORT: String(publicPort),
    DECISION_PORT: String(decisionPort),
    DECISION_SECRET: secret,
  };
  const service = await startService({ mode: 'prod', settings });
  const upstream = await startUpstream();
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
      server = await startServer({ databaseUrl: service.database.url, settings });
    },
    async stop() {
      if (server !== service.server) await server.stop();
      await service.stop();
      upstream.close();
    },
  };
}

/** Repeats the call until it does not throw. */
export async function eventually(what: () => Promise<unknown>, milliseconds = 300_000): Promise<void> {
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
