// One request that this process did not route itself, as the checks see it: of a service with a guard, or one that a
// gateway asks about.
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
  /** As it was received: path and query. */
  readonly target: string;
  readonly path: string;
  /** No endpoint of ours, so nothing on the exclusion list. */
  readonly route = '';
  caller: Caller | undefined = undefined;
  /** The generation of access under which the checks were begun. */
  decidedAt = -1;
  /** The revision under which all of them let it pass. */
  confirmedAt: Revision | undefined = undefined;
  /** The next end of a temporary rule then. */
  confirmedUntil: number | undefined = undefined;
  readonly query: string;
  readonly #received: Received;
  readonly #cookie: string | undefined;

  /** The cookie is for who has read it already: it saves building `headers`. */
  constructor(method: string, target: string, received: Received, cookie?: string) {
    const mark = target.indexOf('?');
    this.method = method;
    this.target = target;
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.query = mark === -1 ? '' : target.slice(mark + 1);
    this.#received = received;
    this.#cookie = cookie;
  }

  /** Read late: Node builds this object when it is first asked for, and few requests need it. */
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
