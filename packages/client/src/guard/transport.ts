// How a guard is a member of the barrier: by HTTP, through whichever instance answers.
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  foundFromWire,
  guardCalls,
  guardStreams,
  type MemberTransport,
  ringSilenceMilliseconds,
} from '@portcullis/gate';
import { createAsk } from './ask.ts';
import type { Http } from './http.ts';

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
const reopenMilliseconds = 250;

export function createHttpTransport(http: Http, registration: TransportOptions): HttpTransport {
  const { id } = registration;
  const register = createAsk(http, guardCalls.register, callSilenceMilliseconds);
  const report = createAsk(http, guardCalls.report, callSilenceMilliseconds);
  const deregister = createAsk(http, guardCalls.deregister, callSilenceMilliseconds);
  const closed = new AbortController();
  let stream: IncomingMessage | undefined;

  async function listen(listener: (revision: number) => void): Promise<void> {
    while (!closed.signal.aborted) {
      await hear(listener).catch(() => {});
      await sleep(reopenMilliseconds * (0.5 + Math.random()), undefined, { signal: closed.signal }).catch(
        () => {},
      );
    }
  }

  /** Until the stream ends. Whatever was rung meanwhile is found by the next report. */
  async function hear(listener: (revision: number) => void): Promise<void> {
    stream = await http.open({ ...guardStreams.rings, silenceMilliseconds: ringSilenceMilliseconds });
    for await (const line of createInterface({ input: stream })) if (line !== '') listener(Number(line));
  }

  return {
    async register(revision) {
      await register({ body: { ...registration, revision } });
    },
    async report(revision) {
      const { found } = await report({ body: { id, revision } });
      return found === null ? undefined : foundFromWire(found);
    },
    // The instances do that: without one of them there is no report either.
    markRowsComplete: async () => {},
    // And that too: a business service shuts its own gate, and nobody else's.
    latch: async () => {},
    async deregister() {
      await deregister({ body: { id } });
    },
    onRing: (listener) => void listen(listener),
    close() {
      closed.abort();
      stream?.destroy();
    },
  };
}
