// Draws captchas in a thread of its own: on the event loop, a crowd that fetches them would keep everybody else waiting.
// The thread starts with the first one; a service that asks for none never has it.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface DrawingThread {
  /** In the order in which they are asked for. */
  draw(answer: string): Promise<Buffer>;
  close(): Promise<void>;
}

/** `margin`: see `drawCaptcha`. */
export function createDrawingThread(margin = 0): DrawingThread {
  let current: { readonly worker: Worker; readonly waiting: PromiseWithResolvers<Buffer>[] } | undefined;

  function start() {
    const worker = new Worker(new URL(`drawing-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: margin,
    });
    const started = { worker, waiting: [] as PromiseWithResolvers<Buffer>[] };
    // One that ends late must not fail what the next one draws.
    function fail(error: Error): void {
      if (current === started) current = undefined;
      for (const { reject } of started.waiting.splice(0)) reject(error);
    }
    worker.on('message', (picture: Uint8Array) => started.waiting.shift()?.resolve(Buffer.from(picture)));
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('The thread for captchas has ended.')));
    worker.unref();
    return started;
  }

  return {
    draw(answer) {
      current ??= start();
      const drawn = Promise.withResolvers<Buffer>();
      current.waiting.push(drawn);
      current.worker.postMessage(answer);
      return drawn.promise;
    },
    async close() {
      await current?.worker.terminate();
    },
  };
}
