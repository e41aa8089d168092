// Runs the checks of one row of the decision pipeline on a request that a gateway or service asks about.
import {
  type CurrentAccess,
  type ReceivedRequest,
  reportOutcome,
  runStages,
  type Stages,
} from '@portcullis/gate';

/** The request is allowed if `done` is called without an error. */
export type Decide = (target: ReceivedRequest, done: (error?: Error) => void) => void;

export function createDecide(stages: Stages<ReceivedRequest>, current: CurrentAccess): Decide {
  const run = (target: ReceivedRequest) => runStages(stages, target, current);
  return (target, done) => reportOutcome(run, target, done);
}
