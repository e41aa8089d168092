// For business services in Node: decides in the service's own process.
export type { Caller } from '@portcullis/contract';
export {
  createGuard,
  type Decision,
  type Guard,
  type GuardedRequest,
  type GuardOptions,
  type GuardStatus,
} from './create-guard.ts';
