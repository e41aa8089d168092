// A wait that can be cut short.

export interface Alarm {
  /** Resolves after the time, or when it is rung meanwhile. */
  wait(milliseconds: number): Promise<void>;
  ring(): void;
}

/** Calls after the time, unless the returned function is called before. */
export type SetTimer = (call: () => void, milliseconds: number) => () => void;

export const setNodeTimer: SetTimer = (call, milliseconds) => {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
};

export function createAlarm(setTimer: SetTimer): Alarm {
  let ring = () => {};
  return {
    wait(milliseconds) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = setTimer(resolve, milliseconds);
      ring = () => {
        cancel();
        resolve();
      };
      return promise;
    },
    ring: () => ring(),
  };
}
