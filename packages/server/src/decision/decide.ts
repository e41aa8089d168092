// Takes the checks of a row of the pipeline over a request that somebody asks about.

import type { ReceivedRequest } from '@portcullis/gate';
import { type Check, type CurrentAccess, confirm, runChecks } from '../http/access-guard.ts';

/** The checks, and those that are taken again where access changed while one of them waited. */
export interface DecisionStages {
  readonly first: readonly Check<ReceivedRequest>[];
  readonly again: readonly Check<ReceivedRequest>[];
}

/** Allowed is what ends without an error. */
export type Decide = (target: ReceivedRequest, done: (error?: Error) => void) => void;

export function createDecide({ first, again }: DecisionStages, current: CurrentAccess): Decide {
  return (target, done) => {
    target.decidedAt = current.generation;
    runChecks(first, target, (error) => {
      if (error === undefined) confirm(again, target, current, done);
      else done(error);
    });
  };
}
