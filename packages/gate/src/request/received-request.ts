// The request that the checks decide about when Portcullis does not route it: a service with a guard received it, or a
// gateway asks about it.
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@portcullis/contract';
import type { Revision } from '../access/follower.ts';
import type { Carriers } from '../token/read-bearer.ts';

interface Received {
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
}

export class ReceivedRequest implements Carriers {
  readonly method: string;
  /** Path and query, as received. */
  readonly target: string;
  readonly path: string;
  /** Empty: the request is to no endpoint of Portcullis, so no entry of the exclusion list matches. */
  readonly route = '';
  caller: Caller | undefined = undefined;
  /** The generation of access in which the checks started. */
  decidedAt = -1;
  /** The revision in which all checks passed. */
  confirmedAt: Revision | undefined = undefined;
  /** The next end of a temporary rule at that revision. */
  confirmedUntil: number | undefined = undefined;
  readonly query: string;
  readonly #received: Received;
  readonly #cookie: string | undefined;

  /** A caller that has read the cookie header passes it as `cookie`: then Node does not have to build `headers`. */
  constructor(method: string, target: string, received: Received, cookie?: string) {
    const mark = target.indexOf('?');
    this.method = method;
    this.target = target;
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.query = mark === -1 ? '' : target.slice(mark + 1);
    this.#received = received;
    this.#cookie = cookie;
  }

  /** A getter, because Node builds this object at its first use, and few requests need it. */
  get headers(): IncomingHttpHeaders {
    return this.#received.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.#received.rawHeaders;
  }

  get cookie(): string | undefined {
    return this.#cookie ?? this.headers.cookie;
  }

  get carriers(): Carriers {
    return this;
  }
}
