// Declaration of an API endpoint, ours or a business service's: method, path, access, and the schemas of request and response.
// Route, validation, types and documents all come from it.
import type { TObject, TSchema } from 'typebox';
import type { ErrorKind } from './errors/error-table.ts';

export const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof httpMethods)[number];

/**
 * `public`: no check. `identity`: a live token. `permission`: a live token, and a role with permission (Spec, Authentication 5).
 */
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
  /** Whether the exclusion list can name it. Business endpoints leave this out (Spec, Authentication 6). */
  readonly excludable?: true;
  /** Whether callers who must change their password first can use it. */
  readonly forDuePassword?: true;
  /** Whether it can take access away. Such calls have a separate rate limit per caller, which no other call uses up. */
  readonly takesAway?: true;
  /** Refusals of this endpoint that do not follow from the rest of its declaration. */
  readonly errors?: readonly ErrorKind[];
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly bodyLimitBytes?: number;
  /** Whether the body is a form, as other standards require. Such an endpoint answers a refusal with its real status. */
  readonly form?: true;
  /** A valid request, for the documents; fields that follow from the schemas can be left out. */
  readonly example?: EndpointExample;
}

interface Replying extends Declared {
  readonly reply: TObject;
  readonly stream?: never;
}

/** Answers piece by piece, as long as the caller is allowed to read it. */
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
