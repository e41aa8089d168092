// The types of a client call, derived from its endpoint: input and result.
import type * as contract from '@portcullis/contract';
import type { Call, Endpoint, LoginLogItem, Reply, StreamEndpoint } from '@portcullis/contract';
import type { StreamEvent } from './read-events.ts';

type Contract = typeof contract;
type NameOf<Export extends string> = Export extends `${infer Name}Endpoint` ? Name : Export;

/** Every endpoint that `contract` exports, by the name of its call: `loginEndpoint` is called by `login`. */
export type Endpoints = {
  readonly [K in keyof Contract as Contract[K] extends Endpoint
    ? NameOf<K>
    : never]: Contract[K] extends Endpoint ? Contract[K] : never;
};
export type CallName = keyof Endpoints;

export type CallRow<E extends Endpoint> = E extends StreamEndpoint
  ? readonly [method: E['method'], path: E['path'], stream: E['stream']]
  : readonly [method: E['method'], path: E['path']];

/** An optional field can also be undefined. */
type Lenient<V> = V extends object
  ? { readonly [K in keyof V]: Record<never, never> extends Pick<V, K> ? V[K] | undefined : V[K] }
  : V;

/** No field if the endpoint declares none. */
type Given<Name extends string, V> = [V] extends [undefined] ? unknown : { readonly [N in Name]: Lenient<V> };

/** The query is optional if none of its fields is required. */
type GivenQuery<V> =
  Record<never, never> extends V ? { readonly query?: Lenient<V> | undefined } : Given<'query', V>;

/** `params`, `query` and `body` as the endpoint declares them, and a signal that aborts the call. */
export type CallInput<E extends Endpoint> = Given<'params', Call<E>['params']> &
  GivenQuery<Call<E>['query']> &
  Given<'body', Call<E>['body']> & { readonly signal?: AbortSignal | undefined };

export type CallArguments<E extends Endpoint> =
  Record<never, never> extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>];

/** The reply. For an endpoint that streams events: the events. For every other stream: the unread response. */
export type CallResult<E extends Endpoint> = E extends { readonly stream: 'text/event-stream' }
  ? AsyncGenerator<StreamEvent, void>
  : E extends StreamEndpoint
    ? Promise<Response>
    : Promise<Reply<E> & { readonly requestId: string }>;

/** A new record of the login log, or a `gap`: some records before the next event were not sent. */
export type LoginLogEvent =
  | { readonly name: 'message'; readonly id: string; readonly data: LoginLogItem }
  | { readonly name: 'gap'; readonly id: string; readonly data: object };

/** The types of the events of a stream, which its endpoint does not declare. */
interface EventsOf {
  readonly tailLoginLogs: LoginLogEvent;
}

/** One call for each endpoint of the service. */
export type Calls = {
  readonly [N in CallName]: (
    ...input: CallArguments<Endpoints[N]>
  ) => N extends keyof EventsOf ? AsyncGenerator<EventsOf[N], void> : CallResult<Endpoints[N]>;
};
