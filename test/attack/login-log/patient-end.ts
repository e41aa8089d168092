// Loaded into a server under test with `--import`: the second that its end waits for a reader of the process log is a
// minute, so that a test which lets the reader go on comes in time on any machine.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const ofTheProduct = 1000;
const original = timers.setTimeout;
const patient = (milliseconds?: number, ...rest: [unknown?, object?]) =>
  original(milliseconds === ofTheProduct ? 60_000 : milliseconds, ...rest);
Reflect.set(timers, 'setTimeout', patient);
syncBuiltinESMExports();
