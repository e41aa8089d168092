// The token of a front end, and the two events that an application acts on: signed out, and not allowed.
import { ClientError } from './client-error.ts';

/** Where the token is kept. In memory unless the application says otherwise; it is never part of a URL. */
export interface TokenStore {
  get(): string | null | undefined;
  /** `undefined` forgets it. */
  set(token: string | undefined): void;
}

export interface SessionEvents {
  /** Sign in again: once a token, however many calls it fails. */
  readonly onSignedOut?: ((error: ClientError) => void) | undefined;
  /** The user stays signed in; the role may not do this one thing. */
  readonly onNotAllowed?: ((error: ClientError) => void) | undefined;
}

export interface Session {
  /** For a call that is about to be sent. */
  token(): string | undefined;
  begin(token: string): void;
  /** By the user's own wish: no event. */
  end(token: string | undefined): void;
  /** `token` is what the failed call carried. */
  tell(error: unknown, token: string | undefined): void;
}

export function createSession(store: TokenStore, { onSignedOut, onNotAllowed }: SessionEvents): Session {
  // Calls without a token go on failing until somebody signs in, and would open the login page over and over.
  let isOver = false;
  const kept = () => store.get() || undefined;
  function end(ended: string | undefined): boolean {
    // An answer to an earlier token says nothing of the one that is in use now.
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
