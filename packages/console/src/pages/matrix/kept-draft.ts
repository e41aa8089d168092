// Keeps the draft of a user whose session ended until the same user signs in again. It stays in the memory of the page,
// and no other user gets it.
import type { Draft } from './draft.ts';

let kept: { readonly ownerId: number; readonly draft: Draft } | undefined;

export function keepDraft(ownerId: number, draft: Draft): void {
  kept = draft.size === 0 ? undefined : { ownerId, draft };
}

/** Empty if there is none, or if it belongs to another user; in both cases it is discarded. */
export function takeDraft(ownerId: number | undefined): Draft {
  const draft = kept !== undefined && kept.ownerId === ownerId ? kept.draft : new Map();
  kept = undefined;
  return draft;
}
