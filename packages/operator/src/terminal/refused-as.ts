// Translates a refusal of an endpoint into the error of a command, which knows what the operator typed.
import { AppError, type ErrorKind } from '@portcullis/contract';
import { CommandFailure, exitCodes } from './exit-codes.ts';

/** @example await operator.call(deleteRoleEndpoint, { params }).catch(refusedAs({ conflict: 'Users have the role.' })); */
export function refusedAs(
  reasons: Partial<Record<ErrorKind, string>>,
  /** Messages for refusals after which a retry can succeed. */
  temporary: Partial<Record<ErrorKind, string>> = {},
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError)) throw error;
    const { [error.kind]: reason } = reasons;
    const { [error.kind]: missing } = temporary;
    if (missing !== undefined) throw new CommandFailure(missing, exitCodes.unavailable);
    throw reason === undefined ? error : new CommandFailure(reason);
  };
}
