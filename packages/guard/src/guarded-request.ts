// A request as a guard wants it: as it was received, and nothing parsed or joined.
import type { IncomingHttpHeaders } from 'node:http';

/** What Node knows of a request: an `IncomingMessage` has all of it but the target before a router changed it. */
export interface GuardedRequest {
  readonly method: string;
  /** Path and query exactly as they were received. */
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
}
