// The rig's business service, which on SIGUSR2 writes one line about itself: the heap after a full collection, and
// whatever was added to, taken from or changed in the prototypes that all objects share.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const prototypes = { Object, Array, String, Number, Function, Promise, Map, Error, Buffer };

await import('../../rig/business-service.ts');

const before = takeProperties();
let reports = 0;
process.on('SIGUSR2', () => {
  reports += 1;
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const polluted = differences(before, takeProperties());
  process.stdout.write(`${JSON.stringify({ report: reports, heapUsed, external, rss, polluted })}\n`);
});

function takeProperties(): Map<string, unknown> {
  return new Map(
    Object.entries(prototypes).flatMap(([name, { prototype }]) =>
      Reflect.ownKeys(prototype).map((key): [string, unknown] => {
        const { value, get } = Reflect.getOwnPropertyDescriptor(prototype, key) ?? {};
        return [`${name}.${String(key)}`, value ?? get];
      }),
    ),
  );
}

function differences(then: Map<string, unknown>, now: Map<string, unknown>): string[] {
  const names = new Set([...then.keys(), ...now.keys()]);
  return [...names].filter((name) => then.has(name) !== now.has(name) || then.get(name) !== now.get(name));
}
