// Derives state, nonce and PKCE verifier from the handle that only the page has, so that none of them is stored.
import { createHmac } from 'node:crypto';
import type { ProviderKindName } from '@portcullis/contract';
import type { RedirectPurpose } from './provider-kind.ts';

/** 256 bits each. Kind and purpose are part of the derivation, so a callback is valid only for its own request. */
export function stateAndPkce(
  handle: string,
  kind: ProviderKindName,
  purpose: RedirectPurpose,
  what: 'state' | 'nonce' | 'verifier',
): string {
  return createHmac('sha256', handle).update(`${kind} ${purpose} ${what}`).digest('base64url');
}
