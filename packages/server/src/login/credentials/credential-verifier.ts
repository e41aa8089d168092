// The seam for other ways to log in (SMS code, OAuth): it replaces this step and nothing else (Spec, Authentication 7).
import type { DataScope, LoginBody } from '@portcullis/contract';

/** A user and role in the form that the token payload accepts. */
export interface Account {
  readonly userId: number;
  readonly username: string;
  readonly roleId: number;
  readonly roleKey: string;
  readonly dataScope: DataScope;
  readonly epoch: number;
}

export type Verification =
  | { readonly account: Account }
  | { readonly refused: 'credentials_wrong' | 'user_disabled' | 'role_disabled' };

export interface CredentialVerifier {
  verify(credentials: LoginBody): Promise<Verification>;
}
