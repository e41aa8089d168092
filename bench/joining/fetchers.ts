// Light guards that start spread over some seconds: each fetches the complete state, verifies the
// hashes, and gets a lease for it.
import { createHash } from 'node:crypto';
import { Agent, get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeastQuery, guardManifest, guardPartsPath, type Manifest } from '@portcullis/gate';
import { openLightGuard } from '../relays/light-guard.ts';
import type { FetchersReport, FetchersTask } from './messages.ts';

const retryMilliseconds = 500;
/**
 * The concurrency of one process at which guards do not slow each other down. The others wait in a queue, and
 * their waiting time counts.
 */
const atOnce = 8;

process.once('message', async ({ ports, secret, guards, withinMilliseconds }: FetchersTask) => {
  const counts = { leased: 0, renewals: 0, losses: 0, closed: 0 };
  let bytes = 0;
  let retries = 0;
  /** Retries one step, like a real guard, which continues at the step that failed. */
  async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch {
      retries += 1;
      await sleep(retryMilliseconds * (1 + Math.random()));
      return await tryAgain(work);
    }
  }
  async function start(index: number): Promise<void> {
    const port = ports[index % ports.length] ?? 0;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const open = (path: string) => openAnswer(agent, { port, path, secret });
    const manifest = await tryAgain(
      async () => (await json(await open(guardManifest.path + atLeastQuery(0)))) as Manifest,
    );
    let fetched = 0;
    for (const name of manifest.parts)
      fetched += await tryAgain(async () => {
        const hash = createHash('sha256');
        let length = 0;
        for await (const chunk of await open(guardPartsPath + name)) {
          hash.update(chunk);
          length += chunk.length;
        }
        if (hash.digest('hex') !== name) throw new Error('A part is another one.');
        return length;
      });
    bytes = fetched;
    agent.destroy();
    await tryAgain(() => openLightGuard({ port, secret, from: manifest, counts }));
  }
  const begunAt = performance.now();
  const starts = Array.from({ length: guards }, () => begunAt + Math.random() * withinMilliseconds);
  const due = starts.sort((one, other) => one - other).entries();
  const milliseconds: number[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [index, at] of due) {
        await sleep(Math.max(0, at - performance.now()));
        await start(index);
        milliseconds.push(performance.now() - at);
      }
    }),
  );
  process.send?.({ milliseconds, bytes, retries } satisfies FetchersReport);
});
process.on('message', (message) => {
  if (message === 'end') process.exit();
});

async function openAnswer(
  agent: Agent,
  { port, path, secret }: { port: number; path: string; secret: string },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get({ agent, port, path, headers: { authorization: `Bearer ${secret}` } }, resolve).on('error', reject);
  const response = await promise;
  if (response.statusCode !== 200) throw new Error(`${path} is answered with ${response.statusCode}.`);
  return response;
}
