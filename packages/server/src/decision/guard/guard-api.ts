// What a guard in a business service asks for: to be a member of the barrier, and everything that access consists of.
// Nothing is kept between two calls, so a guard may ask another instance with every call.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AccessSource, compileSchema } from '@portcullis/gate';
import type { TSchema } from 'typebox';
import { type Static, Type } from 'typebox';
import type { Members } from '../../cluster/member-store.ts';
import type { ServeBelow } from '../access-api.ts';
import { readJson } from '../read-json.ts';
import { ServiceError } from '../service-error.ts';
import { writeJson } from '../write-json.ts';
import { createRingStreams, type RingStreams } from './ring-streams.ts';
import { sendSnapshot } from './send-snapshot.ts';

interface GuardApiOptions {
  readonly source: AccessSource;
  readonly members: Members;
  readonly onRing: (listener: (revision: number) => void) => () => void;
  /** Of this instance: a guard of another mode gets nothing. */
  readonly mode: string;
  readonly reportFault: (fault: unknown, requestId: string) => void;
}

export interface GuardApi {
  readonly serve: ServeBelow;
  /** Ends what never ends by itself. */
  close(): void;
}

export const guardPath = '/guard/v1/';
const bodyBytes = 4096;

const id = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
const revision = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });

const Registering = Type.Object({
  id,
  revision,
  service: Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$' }),
  version: Type.String({ maxLength: 32, pattern: '^[^\\u0000]*$' }),
  leaseMilliseconds: Type.Integer({ minimum: 1000, maximum: 10_000 }),
});
const Reporting = Type.Object({ id, revision });
const Leaving = Type.Object({ id });

export function createGuardApi(options: GuardApiOptions): GuardApi {
  const { members, source, mode, reportFault } = options;
  const rings: RingStreams = createRingStreams(options.onRing);
  const readRegistering = createReader(Registering);
  const readReporting = createReader(Reporting);
  const readLeaving = createReader(Leaving);

  const calls: Readonly<Record<string, (request: IncomingMessage) => Promise<object>>> = {
    async 'POST register'(request) {
      const { revision, ...registration } = await readRegistering(request);
      await members.register({ ...registration, mode }, revision);
      return {};
    },
    async 'POST report'(request) {
      const { id, revision } = await readReporting(request);
      return { found: (await members.report(id, revision)) ?? null };
    },
    async 'POST deregister'(request) {
      await members.deregister((await readLeaving(request)).id);
      return {};
    },
    async 'GET revisions'({ url = '' }) {
      const from = Number(/\?from=(-?\d{1,16})$/.exec(url)?.[1] ?? Number.NaN);
      if (!Number.isSafeInteger(from)) throw new ServiceError(400, 'Send ?from= and a revision.');
      return { revisions: await source.listRevisionsFrom(from) };
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').slice(guardPath.length).split('?');
    const name = `${request.method} ${path}`;
    if (name === 'GET rings') return rings.open(response);
    if (name === 'GET snapshot') return await sendSnapshot(source, response);
    const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
    if (call === undefined) throw new ServiceError(404, 'There is no such address.');
    writeJson(response, 200, await call(request));
  }

  return {
    serve(request, response, requestId) {
      answer(request, response).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) reportFault(error, requestId);
        // What was begun cannot become an error any more: it must not look complete either.
        if (response.headersSent) return void response.destroy();
        const { status, message } =
          error instanceof ServiceError ? error : new ServiceError(503, 'The database does not answer now.');
        writeJson(response, status, { error: message });
      });
    },
    close: rings.endAll,
  };
}

function createReader<S extends TSchema>(schema: S): (request: IncomingMessage) => Promise<Static<S>> {
  const isValid = compileSchema(schema);
  return async (request) => {
    const body: unknown = await readJson(request, bodyBytes);
    if (!isValid(body)) throw new ServiceError(400, 'The body is not what a guard of this version sends.');
    return body;
  };
}
