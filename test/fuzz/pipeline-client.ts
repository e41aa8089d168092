// Sends requests as bytes: over a few kept connections, many on the way at once on each, or over a connection of
// their own where the answer ends it. Bytes are latin1 texts throughout.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mostResent, note } from '../rig/notes.ts';
import { takeAnswer, type WireAnswer } from './take-answer.ts';

export interface WireRequest {
  readonly bytes: string;
  /** The answer to HEAD has no body, whatever its length says. */
  readonly isHead?: boolean;
  /** Not among others: its answer ends the connection. */
  readonly isAlone?: boolean;
}

export interface PipelineClient {
  send(request: WireRequest): Promise<WireAnswer>;
  /** Requests that were sent again because a connection ended before their answer, or the store was away for a moment. */
  readonly resent: number;
  /** Bytes that answered nothing: a sign that the server and we count requests differently. */
  readonly unasked: number;
  close(): void;
}

interface Waiting {
  readonly request: WireRequest;
  readonly resolve: (answer: WireAnswer) => void;
  tries: number;
}

interface Counts {
  resent: number;
  unasked: number;
}

const mostTries = 3;
/** How often one is sent that is answered 503: a machine that stands still makes leases and statements run out. */
const mostTimesAway = 10;
/** In a whole suite. A machine that stands still ends all connections at once, each with many cases on the way. */
const mostPutAgain = 10 * mostResent;
const quietMilliseconds = 120_000;
const noAnswer: WireAnswer = { status: 0, reason: undefined, text: '', body: {} };

export function createPipelineClient(port: number, connections: number): PipelineClient {
  const counts: Counts = { resent: 0, unasked: 0 };
  const lanes = Array.from({ length: connections }, () => new Lane(port, counts));
  const alone = new Set<Lane>();
  async function sendAlone(request: WireRequest): Promise<WireAnswer> {
    const lane = new Lane(port, counts);
    alone.add(lane);
    const answer = await lane.send(request);
    lane.close();
    alone.delete(lane);
    return answer;
  }
  function sendOnce(request: WireRequest): Promise<WireAnswer> {
    if (request.isAlone === true) return sendAlone(request);
    const idlest = lanes.reduce((best, lane) => (lane.load < best.load ? lane : best));
    return idlest.send(request);
  }
  return {
    async send(request) {
      for (let tries = 1; ; tries += 1) {
        const answer = await sendOnce(request);
        if (answer.status !== 503 || tries === mostTimesAway) return answer;
        counts.resent += 1;
        note('retried', 'a case that was answered with 503', mostResent);
        await sleep(500);
      }
    },
    get resent() {
      return counts.resent;
    },
    get unasked() {
      return counts.unasked;
    },
    close() {
      for (const lane of [...lanes, ...alone]) lane.close();
    },
  };
}

/** One connection, opened again whenever it ends. */
class Lane {
  readonly #port: number;
  readonly #counts: Counts;
  #socket: Socket | undefined;
  #waiting: Waiting[] = [];
  #received = '';

  constructor(port: number, counts: Counts) {
    this.#port = port;
    this.#counts = counts;
  }

  get load(): number {
    return this.#waiting.length;
  }

  send(request: WireRequest): Promise<WireAnswer> {
    const { promise, resolve } = Promise.withResolvers<WireAnswer>();
    this.#put({ request, resolve, tries: 0 });
    return promise;
  }

  close(): void {
    const closing = this.#socket;
    this.#socket = undefined;
    closing?.destroy();
  }

  #put(one: Waiting): void {
    this.#socket ??= this.#open();
    this.#waiting.push(one);
    this.#socket.write(one.request.bytes, 'latin1');
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1')
      .setEncoding('latin1')
      .setNoDelay(true)
      .setTimeout(quietMilliseconds, () => this.#end(socket))
      .on('data', (part: string) => this.#take(socket, part))
      .on('error', () => this.#end(socket))
      .on('close', () => this.#end(socket));
    return socket;
  }

  #take(from: Socket, part: string): void {
    if (from !== this.#socket) return;
    this.#received += part;
    for (;;) {
      const [next] = this.#waiting;
      const taken =
        next && takeAnswer(this.#received, { isHead: next.request.isHead === true, hasEnded: false });
      if (next === undefined || taken === undefined) break;
      this.#received = this.#received.slice(taken.length);
      this.#waiting.shift();
      next.resolve(taken.answer);
      if (taken.closes) {
        this.#end(from);
        return;
      }
    }
    if (this.#waiting.length > 0) return;
    this.#counts.unasked += this.#received.length;
    this.#received = '';
  }

  #takeLast(): void {
    const [next] = this.#waiting;
    const taken =
      next && takeAnswer(this.#received, { isHead: next.request.isHead === true, hasEnded: true });
    if (next === undefined || taken === undefined) return;
    this.#waiting.shift();
    next.resolve(taken.answer);
  }

  /** What still waits goes once more, over a new connection. */
  #end(ended: Socket): void {
    if (ended !== this.#socket) return;
    this.close();
    this.#takeLast();
    this.#received = '';
    const unanswered = this.#waiting;
    this.#waiting = [];
    for (const [place, one] of unanswered.entries()) {
      // Only the first can be the one that has no answer; the others were behind it.
      if (place === 0) one.tries += 1;
      if (one.tries >= mostTries) one.resolve(noAnswer);
      else {
        this.#counts.resent += 1;
        note('retried', 'a case whose connection ended before its answer', mostPutAgain);
        this.#put(one);
      }
    }
  }
}
