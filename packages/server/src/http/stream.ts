// Streamed replies, with a recheck before each piece: a caller who is not allowed to read a piece when it would be sent does not
// get it. A stream ends soon after the right to read it, even when no piece comes or the client reads none.
import type { Pieces } from '@portcullis/contract';
import type { FastifyReply } from 'fastify';
import { asAppError } from './error-reply.ts';
import { streamHeaderLines } from './headers.ts';
import type { RequestContext } from './request-context.ts';

export type Decide = (context: RequestContext, done: (error?: Error) => void) => void;
export type StreamHandler = (call: RequestContext) => Pieces | Promise<Pieces>;

interface StreamOptions {
  readonly context: RequestContext;
  readonly reply: FastifyReply;
  readonly contentType: string;
  /** Undefined when all callers are allowed to read. */
  readonly decide: Decide | undefined;
}

export interface Streams {
  /** Rejects on an error before the first piece, with nothing written. */
  answer(handler: StreamHandler, options: StreamOptions): Promise<void>;
  endAll(): void;
}

const watchMilliseconds = 250;
/** A client that reads nothing for half a minute is disconnected. */
const stalledRoundsLimit = 30_000 / watchMilliseconds;

export function createStreams(reportFault: (cause: unknown, requestId: string) => void): Streams {
  const open = new Set<() => void>();
  return {
    async answer(handler, options) {
      const { context, reply } = options;
      const stop = new AbortController();
      context.signal = stop.signal;
      // Destroyed, not ended: a client must not take a part for the whole.
      const cut = () => void reply.raw.destroy();
      const abort = () => stop.abort();
      reply.raw.once('close', abort);
      if (reply.raw.destroyed) abort();
      open.add(cut);
      try {
        await writePieces(await handler(context), stop.signal, options);
      } catch (error) {
        if (!reply.raw.headersSent && !stop.signal.aborted) throw error;
        if (isFault(error) && !stop.signal.aborted) reportFault(error, context.requestId);
        cut();
      } finally {
        reply.raw.off('close', abort);
        abort();
        open.delete(cut);
      }
      if (!reply.raw.headersSent) reply.hijack();
    },
    endAll() {
      for (const cut of open) cut();
    },
  };
}

/** Resolves when everything is written or the client has disconnected; rejects when the pieces or the checks throw. */
function writePieces(pieces: Pieces, signal: AbortSignal, options: StreamOptions): Promise<void> {
  const { raw } = options.reply;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const iterator = pieces[Symbol.asyncIterator]();
  const decided = createDecider(options, reject);
  let stalledRounds = 0;
  const watch = setInterval(() => {
    const isStalled = raw.writableNeedDrain || raw.writableEnded;
    stalledRounds = isStalled ? stalledRounds + 1 : 0;
    if (stalledRounds > stalledRoundsLimit) raw.destroy();
    else decided();
  }, watchMilliseconds);

  function write(piece: string): void {
    begin(options);
    if (raw.write(piece)) pull();
    else raw.once('drain', pull);
  }
  function finish(): void {
    begin(options);
    raw.once('finish', resolve).end();
  }
  function pull(): void {
    stalledRounds = 0;
    iterator
      .next()
      .then(({ done, value }) => decided(() => (done ? finish() : write(value))))
      .catch(reject);
  }

  if (signal.aborted) resolve();
  else pull();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => {
    clearInterval(watch);
    // Not awaited: a piece that is still being made must not delay the end.
    iterator.return?.().catch(() => {});
  });
}

/** Runs all checks, one run after the other, because the runs share the request's state. A run of the timer can be skipped. */
function createDecider({ context, reply, decide }: StreamOptions, refuse: (error: Error) => void) {
  let isDeciding = false;
  let waiting: (() => void) | undefined;
  return function decided(next?: () => void): void {
    if (isDeciding) {
      if (next !== undefined) waiting = () => decided(next);
      return;
    }
    const done = (error?: Error) => {
      isDeciding = false;
      if (error !== undefined) refuse(error);
      else if (!reply.raw.destroyed) next?.();
      const turn = waiting;
      waiting = undefined;
      if (error === undefined) turn?.();
    };
    isDeciding = true;
    // Also when access did not change: a token expires without a change.
    context.decidedAt = -1;
    if (decide === undefined) done();
    else decide(context, done);
  };
}

function begin({ context, reply, contentType }: StreamOptions): void {
  if (reply.raw.headersSent) return;
  reply.hijack();
  const lines = streamHeaderLines(context.requestId, contentType);
  reply.raw.writeHead(200, [...lines, ...(context.ownHeaders ?? [])]);
}

function isFault(error: unknown): boolean {
  const { kind, cause } = asAppError(error);
  return kind === 'internal' || (kind === 'unavailable' && cause !== undefined);
}
