// The type of a handler, derived from its endpoint: a public endpoint has no caller, and a reply that differs from its schema
// does not compile.
import type { Static, TSchema } from 'typebox';
import type { Endpoint, StreamEndpoint } from './endpoint.ts';
import type { Language } from './messages.ts';
import type { Caller } from './token.ts';

type Part<S> = S extends TSchema ? Static<S> : undefined;

/** The caller, and when the checks confirmed that the caller is allowed to make the call. */
export interface Confirmed {
  readonly caller: Caller;
  /** The revision of access at which the checks passed; `unchecked` for a caller who needs no check. */
  readonly confirmedAt?: { readonly n: number; readonly mark: string } | 'unchecked' | undefined;
  /** The database's time in milliseconds: a rule that ends then may have allowed the call. */
  readonly confirmedUntil?: number | undefined;
}

/** A change by the service itself, without a caller. */
export interface Unchecked {
  readonly confirmedAt: 'unchecked';
}

/** One request as a handler receives it: validated input, its origin, and the caller. */
export type Call<E extends Endpoint = Endpoint> = {
  readonly params: Part<E['params']>;
  readonly query: Part<E['query']>;
  readonly body: Part<E['body']>;
  readonly requestId: string;
  readonly language: Language;
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** Sets a response header; for cookies and the like. */
  setHeader(name: string, value: string): void;
} & (E['access'] extends 'public' ? unknown : Confirmed) &
  (E extends StreamEndpoint ? { readonly signal: AbortSignal } : unknown);

/** The reply without the fields that every success has. */
export type Reply<E extends Endpoint> = Omit<Part<E['reply']>, 'code' | 'msg' | 'requestId'>;

/** The pieces of a stream. A stream that waits for something stops waiting when the call's `signal` is aborted. */
export type Pieces = AsyncIterable<string>;

export type Answer<E extends Endpoint> = E extends StreamEndpoint ? Pieces : Reply<E>;

export type Handler<E extends Endpoint> = (call: Call<E>) => Answer<E> | Promise<Answer<E>>;
