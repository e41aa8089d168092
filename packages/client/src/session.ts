// The session of a front end: stores the token, and calls the application when the user is signed out or not allowed.
import { ClientError } from './client-error.ts';

/** The storage of the token: in memory by default. The token is never part of a URL. */
export interface TokenStore {
  get(): string | null | undefined;
  /** `undefined` removes the token. */
  set(token: string | undefined): void;
}

export interface SessionEvents {
  /** The user must sign in again. Called once for each token, however many calls fail. */
  readonly onSignedOut?: ((error: ClientError) => void) | undefined;
  /** The user stays signed in, but the role does not allow this call. */
  readonly onNotAllowed?: ((error: ClientError) => void) | undefined;
}

export interface Session {
  /** The token for the next call. */
  token(): string | undefined;
  begin(token: string): void;
  /** Ends the session at the user's request, without an event. */
  end(token: string | undefined): void;
  /** Handles the error of a call. `token` is the token of the failed call. */
  tell(error: unknown, token: string | undefined): void;
}

export function createSession(store: TokenStore, { onSignedOut, onNotAllowed }: SessionEvents): Session {
  // Calls without a token fail until the user signs in. Without this flag, each of them would open the login page again.
  let isOver = false;
  const kept = () => store.get() || undefined;
  function end(ended: string | undefined): boolean {
    // An error of a call with an earlier token says nothing about the current token.
    if (ended !== kept() || (ended === undefined && isOver)) return false;
    isOver = true;
    if (ended !== undefined) store.set(undefined);
    return true;
  }
  return {
    token() {
      const token = kept();
      if (token !== undefined) isOver = false;
      return token;
    },
    begin: (token) => store.set(token),
    end: (ended) => void end(ended),
    tell(error, carried) {
      if (!(error instanceof ClientError)) return;
      if (error.kind === 'not_allowed') onNotAllowed?.(error);
      if (error.kind === 'signed_out' && end(carried)) onSignedOut?.(error);
    },
  };
}

export function memoryStore(): TokenStore {
  let kept: string | undefined;
  return {
    get: () => kept,
    set(token) {
      kept = token;
    },
  };
}
