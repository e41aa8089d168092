// HTTP server of the decision listener: gateways and services ask it about requests that they received. It is separate from
// the public listener, because it answers refusals with native statuses and only to callers that know the secret.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { guardConnectionRoute } from '@portcullis/gate';
import { type AccessApiOptions, createAccessApi } from './access-api.ts';
import {
  createForwardAuth,
  envoyPrefix,
  type ForwardAuthOptions,
  findForwarded,
  findPrefixed,
} from './forward-auth.ts';

export interface DecisionListenerOptions extends ForwardAuthOptions, AccessApiOptions {
  readonly isDraining: () => boolean;
  /** Handles the WebSocket upgrade of a guard. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

const forwardAuthPath = '/forward-auth';

/**
 * Accepts headers as long as gateways allow. The keep-alive timeout is longer than that of gateways (nginx: 60 s), so that
 * the gateway closes an idle connection and no request is lost.
 */
const serverOptions = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 1000,
};

export function createDecisionListener(options: DecisionListenerOptions): Server {
  const forwardAuth = createForwardAuth(options);
  const accessApi = createAccessApi(options);
  // A gateway that asks about a WebSocket request forwards its upgrade headers. Handle that as a normal request.
  const shouldUpgradeCallback = ({ url }: IncomingMessage) => url === guardConnectionRoute.path;
  const server = createServer(
    { ...serverOptions, shouldUpgradeCallback },
    (request: IncomingMessage, response: ServerResponse) => {
      const { url = '' } = request;
      if (options.isDraining()) response.setHeader('Connection', 'close');
      if (url === forwardAuthPath || url.startsWith(`${forwardAuthPath}?`))
        forwardAuth(request, response, findForwarded);
      else if (url.startsWith(envoyPrefix)) forwardAuth(request, response, findPrefixed);
      else accessApi(request, response);
    },
  );
  server.on('upgrade', options.upgrade);
  // By default, Node drops headers after the 2,000th, which could hide a repeated header. The size limit is sufficient.
  server.maxHeadersCount = 0;
  return server;
}
