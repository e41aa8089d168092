// Health checks and metrics (liveness, readiness, Prometheus) on a separate port, so that the public listener serves only the API.
import { createServer, type Server } from 'node:http';
import type { Figures } from './metrics.ts';
import { metricsContentType, writeMetrics } from './write-metrics.ts';

/** The paths that probes and Prometheus call. */
export const opsPaths = { live: '/livez', ready: '/readyz', metrics: '/metrics' } as const;

export interface OpsOptions {
  readonly isReady: () => boolean;
  /** A plain reason, when the operator can act on it. */
  readonly whyNotReady: () => string | undefined;
  readonly readFigures: () => Figures;
}

interface OpsAnswer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

export function createOpsListener(options: OpsOptions): Server {
  return createServer((request, response) => {
    const { status, text, contentType = 'text/plain; charset=utf-8' } = answerOf(request.url, options);
    response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
    response.end(text);
  });
}

function answerOf(target: string | undefined, { isReady, whyNotReady, readFigures }: OpsOptions): OpsAnswer {
  switch (target) {
    case opsPaths.live:
      return { status: 200, text: 'alive\n' };
    case opsPaths.ready:
      return isReady()
        ? { status: 200, text: 'ready\n' }
        : { status: 503, text: `${['not ready', whyNotReady()].filter(Boolean).join(': ')}\n` };
    case opsPaths.metrics:
      return { status: 200, text: writeMetrics(readFigures()), contentType: metricsContentType };
    default:
      return { status: 404, text: 'not found\n' };
  }
}
