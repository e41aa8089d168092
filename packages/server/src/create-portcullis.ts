// The entry for a team that runs its back end in the same process: takes settings and endpoints, returns a service. It reads no
// arguments, ends no process and handles no signals; `serve` does.
import type { Route } from '@portcullis/contract';
import { createProcessLog } from './base/ops/process-log.ts';
import {
  type Config,
  type GivenSettings,
  loadProcessConfig,
  makeThreadsFor,
} from './base/settings/config.ts';
import { isUnavailable } from './cluster/store/is-unavailable.ts';
import { type ComposeOptions, composePortcullis, type Portcullis } from './compose/portcullis.ts';
import { warnOfDev } from './compose/warn-of-dev.ts';

type ScopeResolver = Pick<Portcullis, 'resolveScope'>;

export interface PortcullisOptions extends Pick<ComposeOptions, 'credentials'> {
  /** The sections of the settings file, or its path. The environment of the process wins over both. */
  readonly settings?: GivenSettings | { readonly file: string };
  /**
   * The back end's endpoints, made with `route` and checked like ours; as a function when handlers need data scopes.
   */
  readonly endpoints?: readonly Route[] | ((service: ScopeResolver) => readonly Route[]);
}

/**
 * Prepares everything and binds no port before `listen`. Throws a `StartRefusal` when the service must not run; its `reasons`
 * are for the operator.
 *
 * @example
 * const portcullis = await createPortcullis({
 *   settings: { application: { mode: 'dev' } },
 *   endpoints: ({ resolveScope }) => [
 *     route(listOrders, async ({ caller }) => ({ data: await findOrders(await resolveScope(caller)) })),
 *   ],
 * });
 * await portcullis.listen();
 */
export async function createPortcullis({
  settings = {},
  endpoints = [],
  ...parts
}: PortcullisOptions = {}): Promise<Portcullis> {
  const config = loadProcessConfig('file' in settings ? { file: settings.file } : { values: settings });
  let portcullis: Portcullis | undefined;
  const resolveScope: Portcullis['resolveScope'] = async (caller) => {
    if (portcullis === undefined) throw new Error('The service has not started yet.');
    return await portcullis.resolveScope(caller);
  };
  const routes = typeof endpoints === 'function' ? endpoints({ resolveScope }) : endpoints;
  portcullis = await createPortcullisFrom(config, { routes, ...parts });
  return portcullis;
}

/** Uses the log of this process, and writes it out before `close` resolves. */
export async function createPortcullisFrom(
  config: Config,
  parts: Pick<ComposeOptions, 'routes' | 'credentials'>,
): Promise<Portcullis> {
  makeThreadsFor(config);
  const { logger, output } = createProcessLog(config.logLevel, { isKnown: isUnavailable });
  warnOfDev(config);
  if (!config.modeKnown)
    logger.warn({ mode: config.mode }, '`application.mode` is no mode there is: it behaves as `prod`');
  const countDroppedLines = () => output.droppedLines;
  const composed = await composePortcullis({ config, logger, countDroppedLines, ...parts });
  return {
    ...composed,
    async listen() {
      const ports = await composed.listen();
      logger.info({ mode: config.mode, host: config.listen.host, ...ports }, 'ready');
      return ports;
    },
    async close(drainMilliseconds = config.drainMilliseconds) {
      logger.info({ drainSeconds: drainMilliseconds / 1000 }, 'stopping');
      try {
        await composed.close(drainMilliseconds);
        logger.info('stopped');
      } finally {
        await output.flush();
      }
    },
  };
}
