// Runs the checks of a row of the pipeline over a request that somebody asks about.
import {
  type CurrentAccess,
  type ReceivedRequest,
  runStages,
  type Stages,
  tellOutcome,
} from '@portcullis/gate';

/** Allowed is what ends without an error. */
export type Decide = (target: ReceivedRequest, done: (error?: Error) => void) => void;

export function createDecide(stages: Stages<ReceivedRequest>, current: CurrentAccess): Decide {
  const run = (target: ReceivedRequest) => runStages(stages, target, current);
  return (target, done) => tellOutcome(run, target, done);
}
