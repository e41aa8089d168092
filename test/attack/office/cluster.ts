// Two instances with the limits that the product ships, behind something that balances: a request goes to the next
// instance, and on to the other where one has just gone.
import { randomBytes } from 'node:crypto';
import { captchaAnswer, solveCaptcha } from '../../rig/captcha.ts';
import type { Database } from '../../rig/create-database.ts';
import { type Answer, createHttpClient, type HttpClient, type Request } from '../../rig/http-client.ts';
import { type Server, startServer } from '../../rig/start-server.ts';

export const shippedLimits = {
  APPLICATION_MODE: 'prod',
  LIMIT_REQUESTS_PER_SECOND: '100',
  LIMIT_BURST: '200',
  LIMIT_CAPTCHAS_PER_MINUTE: '60',
  LIMIT_PASSWORDS_SET_PER_MINUTE: '60',
  THROTTLE_FAILURES_BEFORE_DELAY: '5',
  THROTTLE_NETWORK_FAILURES_PER_MINUTE: '20',
};

export interface Cluster {
  send(request: Request): Promise<Answer>;
  /** Stops one of the instances and starts it anew: it knows no token any more. */
  restartOne(): Promise<void>;
  stop(): Promise<void>;
}

interface Instance {
  readonly server: Server;
  readonly client: HttpClient;
}

export async function startCluster(database: Database): Promise<Cluster> {
  async function start(): Promise<Instance> {
    const server = await startServer({ databaseUrl: database.url, settings: shippedLimits });
    return { server, client: createHttpClient(server.port, { remembers: false, resends: true }) };
  }
  async function stop({ client, server }: Instance): Promise<void> {
    await server.stop();
    client.close();
  }
  let instances: Instance[] = await Promise.all([start(), start()]);
  let turn = 0;

  async function send(request: Request, tries = 4): Promise<Answer> {
    turn += 1;
    const instance = instances[turn % instances.length];
    if (instance === undefined) throw new Error('There is no instance.');
    try {
      return await instance.client.send(request);
    } catch (error) {
      if (tries === 0) throw error;
      return await send(request, tries - 1);
    }
  }

  return {
    send: (request) => send(request),
    async restartOne() {
      const [leaving, staying] = instances;
      if (leaving === undefined || staying === undefined) throw new Error('There is one instance.');
      instances = [staying];
      await stop(leaving);
      instances = [staying, await start()];
    },
    stop: async () => void (await Promise.all(instances.map(stop))),
  };
}

/** A captcha without a fetch: as if the attacker had a stock of solved ones. */
export async function plantCaptcha(database: Database): Promise<{ uuid: string; code: string }> {
  const uuid = randomBytes(16).toString('base64url');
  await database.query(
    `insert into captchas (id, answer_hmac, expires_at) values ($1, '', now() + interval '2 minutes')`,
    [uuid],
  );
  await solveCaptcha(database, uuid);
  return { uuid, code: captchaAnswer };
}
