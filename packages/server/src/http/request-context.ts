// One request as the checks and handlers see it. Made once a request, after routing.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Caller, type ErrorKind, type Language, negotiateLanguage } from '@portcullis/contract';
import type { Revision } from '@portcullis/gate';
import type { FastifyRequest } from 'fastify';

export class RequestContext {
  readonly method: string;
  readonly path: string;
  readonly route: string;
  caller: Caller | undefined = undefined;
  failure: ErrorKind | undefined = undefined;
  /** What the route began with, where it has a state. */
  state: unknown = undefined;
  /** The generation of access under which the checks were begun. */
  decidedAt = -1;
  /** The revision of access under which all of them let it pass. */
  confirmedAt: Revision | undefined = undefined;
  /** The next end of a temporary rule then. */
  confirmedUntil: number | undefined = undefined;
  /** Names and values in turn. They leave with a success alone: a refusal must not carry the cookie of a login. */
  ownHeaders: string[] | undefined = undefined;
  /** Of a stream: says that nobody reads it any more. */
  signal: AbortSignal | undefined = undefined;
  readonly #request: FastifyRequest;
  readonly #query: string;
  #ip: string | undefined = undefined;

  constructor(request: FastifyRequest, route: string) {
    const target = request.raw.url ?? '';
    const mark = target.indexOf('?');
    this.method = request.method;
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.route = route;
    this.#query = mark === -1 ? '' : target.slice(mark + 1);
    this.#request = request;
  }

  get carriers() {
    const raw: IncomingMessage = this.#request.raw;
    return { rawHeaders: raw.rawHeaders, query: this.#query, cookie: raw.headers.cookie };
  }

  get params(): unknown {
    return this.#request.params;
  }

  get query(): unknown {
    return this.#request.query;
  }

  get body(): unknown {
    return this.#request.body;
  }

  get requestId(): string {
    return this.#request.id;
  }

  get language(): Language {
    return negotiateLanguage(this.#request.headers['accept-language']);
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.raw.headers;
  }

  get ip(): string {
    this.#ip ??= this.#request.server.clientAddress(this.#request.raw);
    return this.#ip;
  }

  get userAgent(): string | undefined {
    return this.#request.headers['user-agent'];
  }

  setHeader(name: string, value: string): void {
    this.ownHeaders ??= [];
    this.ownHeaders.push(name, value);
  }
}
