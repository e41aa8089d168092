// Replaces the message of a conflict (409). The service answers every conflict with the same message; the form knows
// which conflict is possible and explains it.
import { ClientError } from '@portcullis/client';

/** @example await explainConflict(client.createUser({ body }), 'This username is taken.') */
export async function explainConflict<Reply>(call: Promise<Reply>, text: string | undefined): Promise<Reply> {
  try {
    return await call;
  } catch (error) {
    if (text === undefined || !(error instanceof ClientError) || error.kind !== 'conflict') throw error;
    // This error explains itself in its details.
    if (error.details !== undefined) throw error;
    const { status, code, reason, requestId } = error;
    throw new ClientError('conflict', { status, code, reason, requestId, msg: text, cause: error });
  }
}
