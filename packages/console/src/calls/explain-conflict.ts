// The service answers every conflict with the same words. Whoever asked knows what it can be, and says it.
import { ClientError } from '@portcullis/client';

/** @example await explainConflict(client.createUser({ body }), 'This username is taken.') */
export async function explainConflict<Reply>(call: Promise<Reply>, text: string | undefined): Promise<Reply> {
  try {
    return await call;
  } catch (error) {
    if (text === undefined || !(error instanceof ClientError) || error.kind !== 'conflict') throw error;
    // It says by itself what it is.
    if (error.details !== undefined) throw error;
    const { status, code, reason, requestId } = error;
    throw new ClientError('conflict', { status, code, reason, requestId, msg: text, cause: error });
  }
}
