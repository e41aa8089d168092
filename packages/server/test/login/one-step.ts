// The parts of a login that a password completes: whoever asks for more fails the test.
import type { CredentialVerifier } from '../../src/login/credentials/credential-verifier.ts';
import type { LoginOptions } from '../../src/login/log-in.ts';
import { createPasswordMethod } from '../../src/login/method.ts';

const never = () => Promise.reject(new Error('A login of one step asks for no second one.'));

export function createOneStep(
  credentials: CredentialVerifier,
  options?: Parameters<typeof createPasswordMethod>[1],
): Pick<
  LoginOptions,
  'methods' | 'attempts' | 'selectAccount' | 'findAccount' | 'describeNext' | 'travel' | 'directory'
> {
  return {
    methods: [createPasswordMethod(credentials, options)],
    attempts: { begin: never, take: never },
    selectAccount: () => undefined,
    findAccount: never,
    describeNext: never,
    travel: { run: never, findId: never, leave: never },
    directory: { run: never, find: async () => undefined },
  };
}
