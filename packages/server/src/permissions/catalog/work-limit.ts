// What comparing patterns has cost. Some sets of them can only be compared pair by pair, so it can be given up.

export interface WorkLimit {
  steps: number;
  /** The step at which others have their turn. */
  turnEndsAt: number;
  readonly mostSteps: number;
}

/** Seconds of comparing, while other requests are answered. */
const defaultMostSteps = 20_000_000;
const stepsPerTurn = 20_000;

export function createWorkLimit(mostSteps = defaultMostSteps): WorkLimit {
  return { steps: 0, turnEndsAt: stepsPerTurn, mostSteps };
}

export function isGivenUp({ steps, mostSteps }: WorkLimit): boolean {
  return steps >= mostSteps;
}

/** Counts a step, and says whether others have their turn after it. */
export function takeStep(effort: WorkLimit): boolean {
  effort.steps++;
  if (effort.steps < effort.turnEndsAt) return false;
  effort.turnEndsAt = effort.steps + stepsPerTurn;
  return true;
}
