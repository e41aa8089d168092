// What a browser is sent to a provider with and must come back with, made of the handle that only the page has: nothing of it
// is stored.
import { createHmac } from 'node:crypto';
import type { ProviderKindName } from '@portcullis/contract';
import type { RedirectPurpose } from './provider-kind.ts';

/** 256 bits of each: what one was asked with answers nothing else. */
export function stateAndPkce(
  handle: string,
  kind: ProviderKindName,
  purpose: RedirectPurpose,
  what: 'state' | 'nonce' | 'verifier',
): string {
  return createHmac('sha256', handle).update(`${kind} ${purpose} ${what}`).digest('base64url');
}
