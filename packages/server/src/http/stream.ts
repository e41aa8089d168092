// Writes answers piece by piece. Whoever may not read a piece at the moment at which it would leave does not get it,
// and a stream ends soon after the right to read it, also where no piece comes or the client reads none.
import type { Pieces } from '@portcullis/contract';
import type { FastifyReply } from 'fastify';
import { asAppError } from './error-reply.ts';
import { streamHeaderLines } from './headers.ts';
import type { RequestContext } from './request-context.ts';

export type Decide = (exchange: RequestContext, done: (error?: Error) => void) => void;
export type StreamHandler = (call: RequestContext) => Pieces | Promise<Pieces>;

interface StreamOptions {
  readonly exchange: RequestContext;
  readonly reply: FastifyReply;
  readonly contentType: string;
  /** Undefined where anybody may read. */
  readonly decide: Decide | undefined;
}

export interface Streams {
  /** Rejects where there is an error before the first piece, with nothing written. */
  answer(handler: StreamHandler, options: StreamOptions): Promise<void>;
  endAll(): void;
}

const watchMilliseconds = 250;
/** A client that takes nothing for half a minute is let go. */
const stalledRoundsLimit = 30_000 / watchMilliseconds;

export function createStreams(reportFault: (cause: unknown, requestId: string) => void): Streams {
  const open = new Set<() => void>();
  return {
    async answer(handler, options) {
      const { exchange, reply } = options;
      const stop = new AbortController();
      exchange.signal = stop.signal;
      // Not ended but cut: a client must not take a part for the whole.
      const cut = () => void reply.raw.destroy();
      const leave = () => stop.abort();
      reply.raw.once('close', leave);
      if (reply.raw.destroyed) leave();
      open.add(cut);
      try {
        await writePieces(await handler(exchange), stop.signal, options);
      } catch (error) {
        if (!reply.raw.headersSent && !stop.signal.aborted) throw error;
        if (isFault(error) && !stop.signal.aborted) reportFault(error, exchange.requestId);
        cut();
      } finally {
        reply.raw.off('close', leave);
        leave();
        open.delete(cut);
      }
      if (!reply.raw.headersSent) reply.hijack();
    },
    endAll() {
      for (const cut of open) cut();
    },
  };
}

/** Resolves when everything is written or the client is gone; rejects where the pieces or the checks throw. */
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
    // Not awaited: a piece that is still being made must hold up nobody.
    iterator.return?.().catch(() => {});
  });
}

/** All checks, one round after the other, because they share what they decide on. A round of the watch may be left out. */
function createDecider({ exchange, reply, decide }: StreamOptions, refuse: (error: Error) => void) {
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
    // Also where access did not change: a token expires without one.
    exchange.decidedAt = -1;
    if (decide === undefined) done();
    else decide(exchange, done);
  };
}

function begin({ exchange, reply, contentType }: StreamOptions): void {
  if (reply.raw.headersSent) return;
  reply.hijack();
  const lines = streamHeaderLines(exchange.requestId, contentType);
  reply.raw.writeHead(200, [...lines, ...(exchange.ownHeaders ?? [])]);
}

function isFault(error: unknown): boolean {
  const { kind, cause } = asAppError(error);
  return kind === 'internal' || (kind === 'unavailable' && cause !== undefined);
}
