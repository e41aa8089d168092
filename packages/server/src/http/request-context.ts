// Request context: one request as the checks and handlers see it, created once per request after routing.
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
  /** The state that the route began with, if it has one. */
  state: unknown = undefined;
  /** The generation of access when the checks began. */
  decidedAt = -1;
  /** The revision of access at which all checks passed. */
  confirmedAt: Revision | undefined = undefined;
  /** The next end of a temporary rule at that time. */
  confirmedUntil: number | undefined = undefined;
  /** Names and values alternate. Sent only with a success: a refusal must not carry the cookie of a login. */
  ownHeaders: string[] | undefined = undefined;
  /** Of a stream: aborted when the client stops reading. */
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
