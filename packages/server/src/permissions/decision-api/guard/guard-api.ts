// HTTP routes for guards in business services: the access snapshot, as a manifest and its parts. The routes are stateless.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { routeName } from '@portcullis/contract';
import {
  type AccessSource,
  guardManifest,
  guardPartsPath,
  HistoryLost,
  readAtLeastQuery,
} from '@portcullis/gate';
import type { ServeBelow } from '../access-api.ts';
import { ServiceError } from '../service-error.ts';
import { writeJson } from '../write-json.ts';
import { createSnapshots } from './snapshots.ts';

interface GuardApiOptions {
  /** Reads a snapshot from this instance's memory. */
  readonly readAll: AccessSource['readAll'];
  /** The revision that this instance enforces. */
  readonly newest: () => number;
  readonly reportFault: (fault: unknown, requestId: string) => void;
}

export function createGuardApi({ readAll, newest, reportFault }: GuardApiOptions): ServeBelow {
  const snapshots = createSnapshots(readAll, newest);

  async function sendManifest(url: string, response: ServerResponse): Promise<void> {
    const atLeast = readAtLeastQuery(url);
    if (!Number.isSafeInteger(atLeast)) throw new ServiceError(400, 'Send ?at-least= and a revision.');
    writeJson(response, 200, await snapshots.readManifest(atLeast));
  }

  function sendPart(path: string, response: ServerResponse): void {
    const part = snapshots.findPart(path.slice(guardPartsPath.length));
    if (part === undefined)
      throw new ServiceError(404, 'There is no such part any more: read the manifest again.');
    response.writeHead(200, {
      'content-type': 'application/gzip',
      'content-length': part.length,
      'cache-control': 'no-store',
    });
    response.end(part);
  }

  async function answer({ method = '', url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = url.split('?');
    if (method === 'GET' && path.startsWith(guardPartsPath)) return sendPart(path, response);
    if (routeName({ method, path }) !== routeName(guardManifest))
      throw new ServiceError(404, 'There is no such address.');
    await sendManifest(url, response);
  }

  return (request, response, requestId) => {
    answer(request, response).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) reportFault(error, requestId);
      const { status, message } = refusalOf(error);
      writeJson(response, status, { error: message });
    });
  };
}

function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError(
    503,
    error instanceof HistoryLost ? error.message : 'The database does not answer now.',
  );
}
