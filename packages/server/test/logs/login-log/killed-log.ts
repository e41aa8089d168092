// A separate process whose database never answers: it records, reports that, and waits to be killed.
import { openLoginLog } from '../../../src/logs/login-log/login-log.ts';
import { attemptWith, createLogWorld } from './log-world.ts';

const [, , root = ''] = process.argv;
const { options } = createLogWorld(root, undefined as never, {
  store: { insert: () => new Promise(() => {}), insertRejected: () => new Promise(() => {}) },
});
const log = await openLoginLog(options);
for (let index = 0; index < 100; index += 1) await log.record(attemptWith(String(index)));
// Keeps the process alive, as the background jobs of a service do.
setInterval(() => {}, 1000);
process.stdout.write('recorded\n');
