// Many guards in one process, as an instance sees them: they renew every second and acknowledge every change at once. They
// decide nothing, so that what the instances do for them is measured, and not what they do.
import { randomUUID } from 'node:crypto';
import type { FromRelay } from '@portcullis/gate';
import { WebSocket } from 'ws';
import type { CrowdCounts, CrowdTask } from './crowd-messages.ts';

const renewMilliseconds = 1000;
/** As many connections as a listener takes at once. */
const openAtOnce = 100;

const counts: CrowdCounts = { leased: 0, renewals: 0, losses: 0, closed: 0 };

process.once('message', async ({ ports, secret, guards }: CrowdTask) => {
  const start = { n: -1, mark: '' };
  for (let opened = 0; opened < guards; opened += openAtOnce)
    await Promise.all(
      Array.from({ length: Math.min(openAtOnce, guards - opened) }, (_, index) =>
        open(ports[(opened + index) % ports.length] ?? 0, secret, { ...start }),
      ),
    );
  process.send?.('open');
});
process.on('message', (message) => {
  if (message === 'count') process.send?.(counts);
  if (message === 'end') process.exit();
});

function open(port: number, secret: string, enforced: { n: number; mark: string }): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const line = new WebSocket(`ws://127.0.0.1:${port}/guard/v1/line`, {
    headers: { authorization: `Bearer ${secret}` },
    perMessageDeflate: false,
  });
  let seq = 0;
  let leasedUntil = 0;
  const sent = new Map<number, number>();
  const renew = () => {
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
  line.once('close', () => {
    counts.closed += 1;
  });
  return promise;
}
