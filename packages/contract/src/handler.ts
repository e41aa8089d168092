// The type of a handler, derived from its endpoint: a public one has no caller to ask for, and a reply that
// departs from its schema does not compile.
import type { Static, TSchema } from 'typebox';
import type { Endpoint, StreamEndpoint } from './endpoint.ts';
import type { Language } from './messages.ts';
import type { Caller } from './token.ts';

type Part<S> = S extends TSchema ? Static<S> : undefined;

/** Who calls, and since when that is known. */
export interface Confirmed {
  readonly caller: Caller;
  /** The revision of access under which the checks let the caller pass; `unchecked` for who needs none. */
  readonly confirmedAt?: { readonly n: number; readonly mark: string } | 'unchecked' | undefined;
  /** By the database's clock, in milliseconds: a rule that ends then may be what let the caller pass. */
  readonly confirmedUntil?: number | undefined;
}

/** The service itself, where nobody calls. */
export interface Unchecked {
  readonly confirmedAt: 'unchecked';
}

/** One request on its way to a handler: validated input, where it came from, and who calls. */
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

/** The reply without the fields that every success carries. */
export type Reply<E extends Endpoint> = Omit<Part<E['reply']>, 'code' | 'msg' | 'requestId'>;

/** The pieces of a stream. One that waits for something stops waiting when the call's `signal` is aborted. */
export type Pieces = AsyncIterable<string>;

export type Answer<E extends Endpoint> = E extends StreamEndpoint ? Pieces : Reply<E>;

export type Handler<E extends Endpoint> = (call: Call<E>) => Answer<E> | Promise<Answer<E>>;
