// The service tells whoever signs in what to do while a provider is away; an administrator has something else to do.
import { describeError, kindOf } from '../../calls/describe-error.ts';

/** Empty where nothing is wrong. */
export function describeAway(error: unknown, away: string): string {
  if (error === null || error === undefined) return '';
  return kindOf(error) === 'unavailable' ? away : describeError(error);
}
