// What a refusal means for one command: an endpoint's answer cannot know what was typed.
import { AppError, type ErrorKind } from '@portcullis/contract';
import { CommandFailure, exitCodes } from './exit-codes.ts';

/** @example await operator.call(deleteRoleEndpoint, { params }).catch(refusedAs({ conflict: 'Users have the role.' })); */
export function refusedAs(
  reasons: Partial<Record<ErrorKind, string>>,
  /** For what may be well when it is tried again. */
  away: Partial<Record<ErrorKind, string>> = {},
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError)) throw error;
    const { [error.kind]: reason } = reasons;
    const { [error.kind]: missing } = away;
    if (missing !== undefined) throw new CommandFailure(missing, exitCodes.unavailable);
    throw reason === undefined ? error : new CommandFailure(reason);
  };
}
