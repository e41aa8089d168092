// HTTP routes for guards in business services: the access snapshot, and for guards of the previous version also the calls
// with which they are members of the barrier with a separate row. The routes are stateless.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { routeName } from '@portcullis/contract';
import {
  type AccessSource,
  compileSchema,
  foundToWire,
  type GuardCall,
  guardCalls,
  guardManifest,
  guardPartsPath,
  guardStreams,
  HistoryLost,
  readAtLeastQuery,
  readFromQuery,
  withTemporaryRules,
} from '@portcullis/gate';
import type { Static, TSchema } from 'typebox';
import type { Members } from '../../../cluster/member-store.ts';
import type { ServeBelow } from '../access-api.ts';
import { readJson } from '../read-json.ts';
import { ServiceError } from '../service-error.ts';
import { writeJson } from '../write-json.ts';
import { createNotificationStreams, type NotificationStreams } from './notification-streams.ts';
import { sendSnapshot } from './send-snapshot.ts';
import { createSnapshots } from './snapshots.ts';

interface GuardApiOptions {
  /** Reads a snapshot from this instance's memory. */
  readonly readAll: AccessSource['readAll'];
  /** Reads from Postgres: guards of the previous version need whole token ids, and memory stores only a part of each. */
  readonly source: AccessSource;
  /** The revision that this instance enforces. */
  readonly newest: () => number;
  readonly members: Members;
  readonly onRing: (listener: (revision: number) => void) => () => void;
  /** The mode of this instance, stored in the row of a guard. */
  readonly mode: string;
  readonly reportFault: (fault: unknown, requestId: string) => void;
}

export interface GuardApi {
  readonly serve: ServeBelow;
  /** Ends the notification streams, which otherwise never end. */
  close(): void;
}

const bodyBytes = 4096;

type Serve = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export function createGuardApi(options: GuardApiOptions): GuardApi {
  const { members, source, mode, reportFault } = options;
  const snapshots = createSnapshots(options.readAll, options.newest);
  const rings: NotificationStreams = createNotificationStreams(options.onRing);
  const served = new Map<string, Serve>([
    post(guardCalls.register, async ({ revision, ...registration }) => {
      await members.register({ ...registration, mode }, revision);
      return {};
    }),
    post(guardCalls.report, async ({ id, revision }) => {
      const found = await members.report(id, revision);
      return { found: found === undefined ? null : foundToWire(found) };
    }),
    post(guardCalls.deregister, async ({ id }) => {
      await members.deregister(id);
      return {};
    }),
    answering(guardCalls.revisions, async ({ url = '' }) => {
      const from = readFromQuery(url);
      if (!Number.isSafeInteger(from)) throw new ServiceError(400, 'Send ?from= and a revision.');
      return { revisions: [...(await source.listRevisionsFrom(from))] };
    }),
    answering(guardManifest, async ({ url = '' }) => {
      const atLeast = readAtLeastQuery(url);
      if (!Number.isSafeInteger(atLeast)) throw new ServiceError(400, 'Send ?at-least= and a revision.');
      return await snapshots.readManifest(atLeast);
    }),
    [
      routeName(guardStreams.snapshot),
      ({ url = '' }, response) =>
        sendSnapshot(source, response, { withTemporary: url.endsWith(withTemporaryRules) }),
    ],
    [routeName(guardStreams.rings), (_request, response) => rings.open(response)],
  ]);

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

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?');
    if (method === 'GET' && path.startsWith(guardPartsPath)) return sendPart(path, response);
    const serve = served.get(routeName({ method, path }));
    if (serve === undefined) throw new ServiceError(404, 'There is no such address.');
    await serve(request, response);
  }

  return {
    serve(request, response, requestId) {
      answer(request, response).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) reportFault(error, requestId);
        // A response that has started cannot become an error, so close it: a truncated response must not look complete.
        if (response.headersSent) return void response.destroy();
        const { status, message } = refusalOf(error);
        writeJson(response, status, { error: message });
      });
    },
    close: rings.endAll,
  };
}

function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError(
    503,
    error instanceof HistoryLost ? error.message : 'The database does not answer now.',
  );
}

function answering<A extends TSchema>(
  call: GuardCall & { readonly answer: A },
  work: (request: IncomingMessage) => Promise<Static<A>>,
): [string, Serve] {
  return [
    routeName(call),
    async (request, response) => writeJson(response, 200, (await work(request)) as object),
  ];
}

function post<B extends TSchema, A extends TSchema>(
  call: GuardCall & { readonly body: B; readonly answer: A },
  work: (body: Static<B>) => Promise<Static<A>>,
): [string, Serve] {
  const isValid = compileSchema(call.body);
  return answering(call, async (request) => {
    const body: unknown = await readJson(request, bodyBytes);
    if (!isValid(body)) throw new ServiceError(400, 'The body is not what a guard of this version sends.');
    return await work(body);
  });
}
