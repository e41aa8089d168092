// Work limit for the comparison of patterns: counts steps, says when to yield, and stops at a maximum. Some sets of
// patterns can only be compared pair by pair, which takes too long for large sets.

export interface WorkLimit {
  steps: number;
  /** The step after which the work yields to other requests. */
  yieldAt: number;
  readonly mostSteps: number;
}

/** Some seconds of work; the process answers other requests in between. */
const defaultMostSteps = 20_000_000;
const stepsBeforeYield = 20_000;

export function createWorkLimit(mostSteps = defaultMostSteps): WorkLimit {
  return { steps: 0, yieldAt: stepsBeforeYield, mostSteps };
}

export function isGivenUp({ steps, mostSteps }: WorkLimit): boolean {
  return steps >= mostSteps;
}

/** Counts a step. Returns true if the work must yield after it. */
export function takeStep(workLimit: WorkLimit): boolean {
  workLimit.steps++;
  if (workLimit.steps < workLimit.yieldAt) return false;
  workLimit.yieldAt = workLimit.steps + stepsBeforeYield;
  return true;
}
