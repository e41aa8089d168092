// Draws captchas in a worker thread: on the event loop, a flood of captcha requests would block all other requests. The thread
// starts with the first captcha; a service that needs none never starts it.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface DrawingThread {
  /** Returns the pictures in the order of the answers. */
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
    // A thread that ends late must not reject the requests of its successor.
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
