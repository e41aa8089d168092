// Runs many light guards in one process.
import type { CrowdCounts, CrowdTask } from './crowd-messages.ts';
import { openLightGuard } from './light-guard.ts';

/** The number of connections that a listener accepts at once. */
const openAtOnce = 100;

const counts: CrowdCounts = { leased: 0, renewals: 0, losses: 0, closed: 0 };

process.once('message', async ({ ports, secret, guards }: CrowdTask) => {
  const from = { n: -1, mark: '' };
  for (let opened = 0; opened < guards; opened += openAtOnce)
    await Promise.all(
      Array.from({ length: Math.min(openAtOnce, guards - opened) }, (_, index) =>
        openLightGuard({ port: ports[(opened + index) % ports.length] ?? 0, secret, from, counts }),
      ),
    );
  process.send?.('open');
});
process.on('message', (message) => {
  if (message === 'count') process.send?.(counts);
  if (message === 'end') process.exit();
});
