// Draws captchas in a thread of its own: on the event loop, a crowd that fetches them would keep everybody else waiting.
// The thread starts with the first one; a service that asks for none never has it.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface DrawingThread {
  /** In the order in which they are asked for. */
  draw(answers: readonly string[]): Promise<readonly Buffer[]>;
  close(): Promise<void>;
}

/** `margin`: see `drawCaptcha`. */
export function createDrawingThread(margin = 0): DrawingThread {
  let current:
    | { readonly worker: Worker; readonly waiting: PromiseWithResolvers<readonly Buffer[]>[] }
    | undefined;

  function start() {
    const worker = new Worker(new URL(`drawing-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: margin,
    });
    const started = { worker, waiting: [] as PromiseWithResolvers<readonly Buffer[]>[] };
    // One that ends late must not fail what the next one draws.
    function fail(error: Error): void {
      if (current === started) current = undefined;
      for (const { reject } of started.waiting.splice(0)) reject(error);
    }
    worker.on('message', (pictures: readonly Uint8Array[]) =>
      started.waiting.shift()?.resolve(pictures.map((picture) => Buffer.from(picture))),
    );
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('The thread for captchas has ended.')));
    worker.unref();
    return started;
  }

  return {
    draw(answers) {
      current ??= start();
      const drawn = Promise.withResolvers<readonly Buffer[]>();
      current.waiting.push(drawn);
      current.worker.postMessage(answers);
      return drawn.promise;
    },
    async close() {
      await current?.worker.terminate();
    },
  };
}
