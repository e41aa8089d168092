// One real guard in a process: it reports how long its start took and how much memory it uses.
import { setTimeout as sleep } from 'node:timers/promises';
import { createGuard } from '@portcullis/guard';
import type { GuardTask, GuardWeight } from './messages.ts';

process.once('message', async ({ urls, secret }: GuardTask) => {
  const at = performance.now();
  await createGuard({ url: urls, secret, service: 'bench' });
  process.send?.(performance.now() - at);
});
process.on('message', async (message) => {
  if (message === 'end') process.exit();
  if (message !== 'weigh') return;
  // Three collections, because objects that the first one frees release more memory.
  for (let collection = 0; collection < 3; collection += 1) {
    gc?.();
    await sleep(100);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ bytes: heapUsed + external, rss } satisfies GuardWeight);
});
