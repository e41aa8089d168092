// Reply to a write of access: sends the revision of the write in a header, so that a caller can check which instances have
// applied it.
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
