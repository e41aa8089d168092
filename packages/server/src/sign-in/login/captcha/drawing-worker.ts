// The worker thread of drawing-thread.ts: draws captchas, and nothing else.
import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { drawCaptcha } from '@portcullis/captcha';

const random = () => randomBytes(4).readUInt32BE() / 2 ** 32;

parentPort?.on('message', (answers: readonly string[]) =>
  parentPort?.postMessage(answers.map((answer) => drawCaptcha(answer, random, workerData as number))),
);
