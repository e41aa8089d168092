// The type of a request that a guard decides about: as it was received, with nothing parsed or joined.
import type { IncomingHttpHeaders } from 'node:http';

/**
 * The fields of a request in Node. An `IncomingMessage` has all of them, except the target, which a router can have
 * changed in `url`.
 */
export interface GuardedRequest {
  readonly method: string;
  /** Path and query, exactly as received. */
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
}
