// How every write of access is answered: with the revision that holds it, so that a caller can see who follows it.
import type { Call } from '@portcullis/contract';

export const revisionHeader = 'x-policy-revision';

/** @example disableUser: (call) => answerWrite(call, access.takeAway(call, disableUser(call.params.id))) */
export async function answerWrite(
  call: Pick<Call, 'setHeader'>,
  revision: Promise<number>,
): Promise<{ data: null }> {
  call.setHeader(revisionHeader, String(await revision));
  return { data: null };
}
