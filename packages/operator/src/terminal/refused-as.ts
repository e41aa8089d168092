// What a refusal means for one command: an endpoint's answer cannot know what was typed.
import { AppError, type ErrorKind } from '@portcullis/contract';
import { CommandFailure } from './exit-codes.ts';

/** @example await operator.call(deleteRoleEndpoint, { params }).catch(refusedAs({ conflict: 'Users have the role.' })); */
export function refusedAs(reasons: Partial<Record<ErrorKind, string>>): (error: unknown) => never {
  return (error) => {
    const reason = error instanceof AppError ? reasons[error.kind] : undefined;
    throw reason === undefined ? error : new CommandFailure(reason);
  };
}
