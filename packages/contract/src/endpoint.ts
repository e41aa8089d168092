// What an endpoint declares, ours and a business service's alike. Route, validation, types and documents all
// come from the declaration.
import type { TObject, TSchema } from 'typebox';
import type { ErrorKind } from './errors/error-table.ts';

export const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof httpMethods)[number];

/** `public`: no check. `identity`: a live token. `permission`: a live token, and a role that may (Spec, Authentication 5). */
export const accesses = ['public', 'identity', 'permission'] as const;
export type Access = (typeof accesses)[number];

export interface EndpointExample {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface Declared {
  readonly method: HttpMethod;
  /** Literal segments and `:name` parameters below `/api/v1`. */
  readonly path: `/api/v1/${string}`;
  readonly access: Access;
  readonly title: string;
  /** Whether the exclusion list may name it. Business endpoints leave this out (Spec, Authentication 6). */
  readonly excludable?: true;
  /** Whether a caller may call it whose password must be changed first. */
  readonly forDuePassword?: true;
  /** Whether it can take access away. Callers have a budget of their own for it, which nothing else spends. */
  readonly takesAway?: true;
  /** Refusals of this endpoint that nothing else of its declaration tells. */
  readonly errors?: readonly ErrorKind[];
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyLimitBytes?: number;
  /** Whether the body is a form, as other standards want it. Such an endpoint answers a refusal with its real status. */
  readonly form?: true;
  /** A request that the schemas take, for the documents; what they suggest by themselves may be left out. */
  readonly example?: EndpointExample;
}

interface Replying extends Declared {
  readonly reply: TObject;
  readonly stream?: never;
}

/** Answers piece by piece, for as long as the caller may read it. */
export interface StreamEndpoint extends Declared {
  /** The content type. */
  readonly stream: string;
  readonly reply?: never;
}

export type Endpoint = Replying | StreamEndpoint;

/**
 * @example
 * const listOrders = defineEndpoint({
 *   method: 'GET', path: '/api/v1/orders', access: 'permission', title: 'List orders',
 *   reply: dataReply(Type.Array(Order)),
 * });
 */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}
