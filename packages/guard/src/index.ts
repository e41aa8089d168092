// For business services in Node: decides in the service's own process.
export type { Caller } from '@portcullis/contract';
export {
  createGuard,
  type Decision,
  type Guard,
  type GuardOptions,
  type GuardStatus,
} from './create-guard.ts';
export type { GuardedRequest } from './guarded-request.ts';
