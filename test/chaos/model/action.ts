// A step that a world can take, bound to it: what it does, how often it is drawn, and how it is told.

export interface Action {
  readonly weight: number;
  /** Returns whether it was possible; if not, nothing has changed. */
  readonly take: () => boolean;
  /** After it was taken: what happened, in words. */
  readonly tell: () => string;
  /** What usually comes at once. */
  next: Action | undefined;
  /** Nothing that happens between this step and the next can make a difference to any later one. */
  mergeable: boolean;
}

export function createAction(weight: number, take: () => boolean, tell: () => string): Action {
  return { weight, take, tell, next: undefined, mergeable: false };
}

/** Adds actions of which each usually follows the one before, and returns the last. */
export function addChain(all: Action[], actions: readonly Action[]): Action | undefined {
  let last: Action | undefined;
  for (const action of actions) {
    if (last !== undefined) last.next = action;
    last = action;
    all.push(action);
  }
  return last;
}
