// The message for an unavailable provider: the message of the service is for users who sign in; an
// administrator needs a different one.
import { describeError, kindOf } from '../../calls/describe-error.ts';

/** Empty without an error. */
export function describeAway(error: unknown, away: string): string {
  if (error === null || error === undefined) return '';
  return kindOf(error) === 'unavailable' ? away : describeError(error);
}
