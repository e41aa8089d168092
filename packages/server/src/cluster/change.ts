// What can change about access, as it is written to `revisions` and applied to every instance's memory.
import type { DataScope } from '@portcullis/contract';

export type Change =
  | { readonly kind: 'token_revoked'; readonly jti: string; readonly expiresAt: number }
  | { readonly kind: 'epoch_raised'; readonly userId: number; readonly epoch: number }
  | {
      readonly kind: 'role_set';
      readonly id: number;
      readonly roleKey: string;
      readonly dataScope: DataScope;
    }
  | { readonly kind: 'role_disabled'; readonly id: number }
  | RuleChange
  | KeyChange;

/** A rule by its text, so that a bad one is skipped where it is applied and not where it is read. */
export interface RuleChange {
  readonly kind: 'rule_added' | 'rule_removed';
  readonly roleKey: string;
  readonly method: string;
  readonly path: string;
}

/** The private part never travels: the instance that signs reads it from its row. */
export type KeyChange =
  | { readonly kind: 'key_added'; readonly kid: string; readonly dev: boolean; readonly publicJwk: PublicJwk }
  | { readonly kind: 'key_activated'; readonly kid: string; readonly dev: boolean }
  | { readonly kind: 'key_retired'; readonly kid: string; readonly dev: boolean };

/** The public part of an ES256 key (RFC 7517). */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}
