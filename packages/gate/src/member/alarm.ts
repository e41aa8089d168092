// A sleep that can be interrupted: `wake` ends the wait early.

export interface Alarm {
  /** Resolves after the time, or at the next `wake`. */
  wait(milliseconds: number): Promise<void>;
  wake(): void;
}

/** Calls `call` after the time, unless the returned function cancels it first. */
export type SetTimer = (call: () => void, milliseconds: number) => () => void;

export const setNodeTimer: SetTimer = (call, milliseconds) => {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
};

export function createAlarm(setTimer: SetTimer): Alarm {
  let wake = () => {};
  return {
    wait(milliseconds) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = setTimer(resolve, milliseconds);
      wake = () => {
        cancel();
        resolve();
      };
      return promise;
    },
    wake: () => wake(),
  };
}
