// The public interface of the guard: authentication and authorization inside the process of a business service in Node.
export type { Caller } from '@portcullis/contract';
export {
  createGuard,
  type Decision,
  type Guard,
  type GuardOptions,
  type GuardStatus,
} from './create-guard.ts';
export type { GuardedRequest } from './guarded-request.ts';
