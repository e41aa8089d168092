// How a guard is a member of the barrier: by HTTP, through whichever instance answers.
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Found, MemberTransport } from '@portcullis/gate';
import type { Http } from './http.ts';
import { readRevision } from './source.ts';

interface TransportOptions {
  readonly id: string;
  readonly service: string;
  readonly version: string;
  readonly leaseMilliseconds: number;
}

export interface HttpTransport extends MemberTransport {
  close(): void;
}

/** A report that takes longer cannot be told from a lost one. */
const callSilenceMilliseconds = 2000;
/** Longer than the listener is silent on a stream of rings. */
const ringSilenceMilliseconds = 5000;
const reopenMilliseconds = 250;

export function createHttpTransport(http: Http, registration: TransportOptions): HttpTransport {
  const { id } = registration;
  const post = (path: string, body: object) =>
    http.json({ method: 'POST', path, body, silenceMilliseconds: callSilenceMilliseconds });
  const closed = new AbortController();
  let stream: IncomingMessage | undefined;

  async function listen(listener: (revision: number) => void): Promise<void> {
    while (!closed.signal.aborted) {
      await hear(listener).catch(() => {});
      await sleep(reopenMilliseconds, undefined, { signal: closed.signal }).catch(() => {});
    }
  }

  /** Until the stream ends. Whatever was rung meanwhile is found by the next report. */
  async function hear(listener: (revision: number) => void): Promise<void> {
    const path = '/guard/v1/rings';
    stream = await http.open({ method: 'GET', path, silenceMilliseconds: ringSilenceMilliseconds });
    for await (const line of createInterface({ input: stream })) if (line !== '') listener(Number(line));
  }

  return {
    async register(revision) {
      await post('/guard/v1/register', { ...registration, revision });
    },
    async report(revision) {
      const answer = await post('/guard/v1/report', { id, revision });
      const { found } = (answer ?? {}) as { found?: unknown };
      return found === null ? undefined : readFound(found);
    },
    // The instances do that: without one of them there is no report either.
    settle: async () => {},
    async deregister() {
      await post('/guard/v1/deregister', { id });
    },
    onRing: (listener) => void listen(listener),
    close() {
      closed.abort();
      stream?.destroy();
    },
  };
}

function readFound(value: unknown): Found {
  const revision = readRevision(value);
  const { at, incarnation, isSettled, leaseMilliseconds, instances } = value as Partial<Found>;
  if (
    typeof at !== 'number' ||
    typeof incarnation !== 'string' ||
    typeof isSettled !== 'boolean' ||
    typeof leaseMilliseconds !== 'number' ||
    typeof instances !== 'number'
  )
    throw new Error('The decision listener answers a report with something that this guard cannot read.');
  return { ...revision, at, incarnation, isSettled, leaseMilliseconds, instances };
}
