// The way between guards and instances: lines that keep the order of their messages, and can be cut at any of them.
import type { Connection, ConnectionEvents, FromRelay, GuardConnection } from '@portcullis/gate';
import type { Host } from './host.ts';
import type { Instance } from './instance.ts';
import { watchLine } from './watch-line.ts';
import type { World } from './world.ts';

export interface Network {
  /** Where an instance listens; undefined while none does. */
  readonly instances: (Instance | undefined)[];
  /** Of one guard, with every call to the next instance. */
  createDialer(host: Host): Dialer;
  /** Nothing gets through between the two for a while. */
  cut(guard: Host, instance: number, milliseconds: number): void;
  cutLines(isOf: (line: Line) => boolean): void;
}

export interface Dialer {
  openConnection(events: ConnectionEvents): Promise<GuardConnection>;
  /** The next instance that listens, when the question has arrived there. */
  reach(): Promise<Instance>;
}

export interface Line {
  readonly guard: Host;
  readonly instance: Instance;
  isOpen: boolean;
}

interface Way {
  /** What was sent arrives by then. */
  arrivedAt: number;
  /** What would arrive later is lost. */
  cutAt: number;
}

const refusedPerMille = 20;
const patienceMilliseconds = 2000;

export function createNetwork(world: World): Network {
  const { chance } = world;
  const instances: (Instance | undefined)[] = [];
  const open = new Map<Line, () => void>();
  const downUntil = new Map<string, number>();

  function isDown(guard: Host, index: number): boolean {
    return world.now < (downUntil.get(`${guard.name} ${index}`) ?? 0);
  }

  function createDialer(guard: Host): Dialer {
    let next = chance.below(2);

    function reach(): Promise<Instance> {
      next += 1;
      // Without a listener, the next one.
      const index = instances[next % 2] === undefined ? (next + 1) % 2 : next % 2;
      const { promise, resolve, reject } = Promise.withResolvers<Instance>();
      const fail = () => reject(new Error('Portcullis does not answer.'));
      const cancel = guard.setTimer(fail, patienceMilliseconds);
      world.plan(world.delay(), () => {
        const instance = instances[index];
        if (
          instance === undefined ||
          instance.host.isDead ||
          isDown(guard, index) ||
          chance.happens(refusedPerMille)
        )
          guard.deliver(world.delay(), fail);
        else
          instance.host.deliver(0, () => {
            cancel();
            resolve(instance);
          });
      });
      return promise;
    }

    return {
      reach,
      async openConnection(events) {
        const instance = await reach();
        return await connect(guard, instance, events);
      },
    };
  }

  function connect(guard: Host, instance: Instance, events: ConnectionEvents): Promise<GuardConnection> {
    const line: Line = { guard, instance, isOpen: true };
    const toGuard: Way = { arrivedAt: world.now, cutAt: Number.POSITIVE_INFINITY };
    const toInstance: Way = { arrivedAt: world.now, cutAt: Number.POSITIVE_INFINITY };
    const watch = watchLine(world, guard, instance);
    let isClosedByGuard = false;
    let isClosedByInstance = false;

    function send(way: Way, host: Host, call: () => void): void {
      const at = Math.max(way.arrivedAt, world.now + world.delay());
      way.arrivedAt = at;
      host.deliver(at - world.now, () => {
        if (at <= way.cutAt) call();
      });
    }

    /** Of what is under way, a part may still arrive. */
    function cutWay(way: Way): void {
      way.cutAt = Math.min(
        way.cutAt,
        world.now + chance.pick([0, 0, world.delay(), Number.POSITIVE_INFINITY]),
      );
    }

    function end(): void {
      if (!line.isOpen) return;
      line.isOpen = false;
      open.delete(line);
      cutWay(toGuard);
      cutWay(toInstance);
      tellGuard(new Error('The line was ended.'));
      tellInstance();
    }

    /** Whoever is cut off may never hear of it. */
    function tellGuard(cause: Error): void {
      if (chance.happens(250)) return;
      guard.deliver(Math.max(toGuard.arrivedAt - world.now, 0) + world.delay(), () => {
        if (isClosedByGuard) return;
        isClosedByGuard = true;
        events.onClosed(cause);
      });
    }

    function tellInstance(): void {
      if (chance.happens(250)) return;
      instance.host.deliver(Math.max(toInstance.arrivedAt - world.now, 0) + world.delay(), () => {
        isClosedByInstance = true;
        connection.closed();
      });
    }

    const connection: Connection = instance.relay.connect({
      send(text) {
        if (isClosedByInstance) return;
        send(toGuard, guard, () => {
          if (isClosedByGuard) return;
          const message: FromRelay = JSON.parse(text);
          watch.answer(message);
          try {
            events.onMessage(message);
          } catch (cause) {
            isClosedByGuard = true;
            end();
            events.onClosed(cause as Error);
          }
        });
      },
      close() {
        isClosedByInstance = true;
        end();
      },
    });
    open.set(line, end);
    const { promise, resolve, reject } = Promise.withResolvers<GuardConnection>();
    const cancel = guard.setTimer(() => {
      reject(new Error('Portcullis does not answer.'));
      end();
    }, patienceMilliseconds);
    send(toGuard, guard, () => {
      cancel();
      resolve({
        send(message) {
          if (isClosedByGuard) return;
          const text = JSON.stringify(message);
          send(toInstance, instance.host, () => {
            if (isClosedByInstance) return;
            watch.question(message);
            connection.receive(text);
          });
        },
        close() {
          isClosedByGuard = true;
          end();
        },
      });
    });
    return promise;
  }

  return {
    instances,
    createDialer,
    cut(guard, instance, milliseconds) {
      downUntil.set(`${guard.name} ${instance}`, world.now + milliseconds);
      cutLines((line) => line.guard === guard && line.instance === instances[instance]);
    },
    cutLines,
  };

  function cutLines(isOf: (line: Line) => boolean): void {
    for (const [line, end] of open) {
      if (!isOf(line)) continue;
      world.see('lineCut');
      world.tell(() => `the line from ${line.guard.name} to ${line.instance.host.name} is cut`);
      end();
      if (world.memories.some(({ host, lease }) => host === line.guard && lease.isLive()))
        world.see('grantOutlivedLine');
    }
  }
}
