// What can change about access, as it is written to `revisions` and applied to every instance's memory.
export type Change =
  | { readonly kind: 'token_revoked'; readonly jti: string }
  | { readonly kind: 'epoch_raised'; readonly userId: number; readonly epoch: number };
