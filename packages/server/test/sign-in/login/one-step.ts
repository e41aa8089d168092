// The parts of a login that a password completes: a call for another part fails the test.
import type { CredentialVerifier } from '../../../src/sign-in/login/credentials/credential-verifier.ts';
import { createRefusalDeadline } from '../../../src/sign-in/login/credentials/refusal-deadline.ts';
import type { LoginOptions } from '../../../src/sign-in/login/login-options.ts';
import { createPasswordMethod } from '../../../src/sign-in/login/method.ts';

const never = () => Promise.reject(new Error('A login of one step asks for no second one.'));

export function createOneStep(
  credentials: CredentialVerifier,
  options?: Parameters<typeof createPasswordMethod>[1],
): Pick<
  LoginOptions,
  | 'methods'
  | 'flows'
  | 'selectAccount'
  | 'findAccount'
  | 'describeNext'
  | 'redirectFlow'
  | 'directory'
  | 'refusals'
> {
  return {
    methods: [createPasswordMethod(credentials, options)],
    flows: { begin: never, take: never },
    selectAccount: () => undefined,
    findAccount: never,
    describeNext: never,
    redirectFlow: { run: never, findId: never, authorizationUrl: never },
    directory: { slots: { run: never }, find: async () => ({ isAnyEnabled: false }) },
    refusals: createRefusalDeadline({
      limitMilliseconds: 0,
      refusalTime: { milliseconds: 0 },
      monotonic: () => 0,
      sleep: never,
    }),
  };
}
