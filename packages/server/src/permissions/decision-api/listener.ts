// The listener for gateways and services: it decides about requests that they received. Apart from the public one,
// because it speaks of other people's requests, answers refusals with native statuses and is for those who know a secret.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { guardLine } from '@portcullis/gate';
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
  /** Answers a guard that asks for a line. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

const forwardAuthPath = '/forward-auth';

/**
 * Headers as long as gateways let them through, and a body by then. A connection is kept for longer than gateways keep
 * it (nginx: 60 s), so that it is the gateway that closes it and no request is lost on the way.
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
  // A gateway that asks about a web socket of its own passes its headers on: that is a question like any other.
  const shouldUpgradeCallback = ({ url }: IncomingMessage) => url === guardLine.path;
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
  // By default Node drops headers beyond the 2,000th, among them perhaps the second of two. The size is limit enough.
  server.maxHeadersCount = 0;
  return server;
}
