// A minimal guard for load tests: it renews its lease every second and acknowledges every change at once. It decides
// nothing, so the benchmark measures the work of the instances and not the work of the guard.
import { randomUUID } from 'node:crypto';
import type { FromRelay, Revision } from '@portcullis/gate';
import { WebSocket } from 'ws';
import type { CrowdCounts } from './crowd-messages.ts';

const renewMilliseconds = 1000;

interface LightGuardOptions {
  readonly port: number;
  readonly secret: string;
  /** The revision that it has loaded. */
  readonly from: Revision;
  readonly counts: CrowdCounts;
}

/** Resolves with the first lease; rejects if no connection can be opened. */
export function openLightGuard({ port, secret, from, counts }: LightGuardOptions): Promise<void> {
  const enforced = { ...from };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const line = new WebSocket(`ws://127.0.0.1:${port}/guard/v1/line`, {
    headers: { authorization: `Bearer ${secret}` },
    perMessageDeflate: false,
  });
  let seq = 0;
  let leasedUntil = 0;
  const sent = new Map<number, number>();
  const renew = () => {
    if (line.readyState !== WebSocket.OPEN) return;
    if (leasedUntil > 0 && performance.now() > leasedUntil) {
      counts.losses += 1;
      leasedUntil = 0;
    }
    seq += 1;
    sent.set(seq, performance.now());
    counts.renewals += 1;
    line.send(`{"kind":"renew","seq":${seq},"n":${enforced.n},"mark":"${enforced.mark}"}`);
  };
  line.once('open', () => {
    line.send(JSON.stringify({ kind: 'hello', id: randomUUID(), service: 'crowd', version: '0' }));
    renew();
    setTimeout(() => setInterval(renew, renewMilliseconds), Math.random() * renewMilliseconds);
  });
  line.on('message', (data) => {
    const message = JSON.parse(String(data)) as FromRelay;
    if (message.kind === 'granted') {
      if (enforced.n >= 0) {
        if (leasedUntil === 0) counts.leased += 1;
        leasedUntil = Math.max(leasedUntil, (sent.get(message.seq) ?? 0) + message.milliseconds * 0.98);
        resolve();
      }
      sent.delete(message.seq);
    } else if (message.kind === 'load') {
      Object.assign(enforced, { n: message.n, mark: message.mark });
      renew();
    } else if (message.kind === 'revisions') {
      const { n, mark } = message.revisions.at(-1) ?? enforced;
      Object.assign(enforced, { n, mark });
      renew();
    } else if (message.kind === 'refused') sent.delete(message.seq);
  });
  line.on('error', reject);
  line.once('close', () => {
    reject(new Error('The line was closed.'));
    counts.closed += 1;
  });
  return promise;
}
