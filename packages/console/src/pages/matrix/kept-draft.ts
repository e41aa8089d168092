// The draft of somebody whose session ended, until the same person is back. It stays in the memory of the page, and nobody
// else gets it.
import type { Draft } from './draft.ts';

let kept: { readonly ownerId: number; readonly draft: Draft } | undefined;

export function keepDraft(ownerId: number, draft: Draft): void {
  kept = draft.size === 0 ? undefined : { ownerId, draft };
}

/** Empty where there is none, and where it is somebody else's; either way it is kept no longer. */
export function takeDraft(ownerId: number | undefined): Draft {
  const draft = kept !== undefined && kept.ownerId === ownerId ? kept.draft : new Map();
  kept = undefined;
  return draft;
}
