// What this process holds after everything that it let go of is collected.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function usedHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
