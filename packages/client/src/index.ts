// The public interface of the client for front ends, in browsers and in Node: typed calls and error handling. It imports
// only types from other packages, so that a bundle contains only these files.
export type { LoginLogItem } from '@portcullis/contract';
export type { CallInput, CallName, CallResult, LoginLogEvent } from './call.ts';
export {
  ClientError,
  type ClientErrorKind,
  classify,
  findError,
  type ReceivedAnswer,
} from './client-error.ts';
export { type Client, type ClientOptions, createClient } from './create-client.ts';
export type { StreamEvent } from './read-events.ts';
export { readReply } from './read-reply.ts';
export type { TokenStore } from './session.ts';
