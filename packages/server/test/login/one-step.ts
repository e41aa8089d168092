// The parts of a login that a password completes: whoever asks for more fails the test.
import type { CredentialVerifier } from '../../src/login/credentials/credential-verifier.ts';
import type { LoginOptions } from '../../src/login/log-in.ts';
import { createPasswordMethod } from '../../src/login/method.ts';

const never = () => Promise.reject(new Error('A login of one step asks for no second one.'));

export function createOneStep(
  credentials: CredentialVerifier,
): Pick<LoginOptions, 'methods' | 'attempts' | 'findAccount' | 'describeNext'> {
  return {
    methods: [createPasswordMethod(credentials)],
    attempts: { begin: never, take: never },
    findAccount: never,
    describeNext: never,
  };
}
