// The progress of a login flow (multi-factor login): reads the account that passed the first step, and after a verified proof
// issues the token or records the passed step. The account is read again in each step, so that a change of its password or
// role ends the flow.
import { type Account, AppError } from '@portcullis/contract';
import { firstStepProvider } from './first-step-provider.ts';
import type { LoginEntryFacts } from './log-entry.ts';
import type { LoginFlow } from './login-flows.ts';
import type { LoginOptions, Origin } from './login-options.ts';
import type { LoginMethod, Proof } from './method.ts';
import type { Admission } from './throttle/throttle.ts';

type LoginProgressOptions = Pick<LoginOptions, 'findAccount' | 'describeNext' | 'issueToken'>;

interface IssueOptions {
  readonly origin: Origin;
  readonly flow: LoginFlow | undefined;
  readonly facts: LoginEntryFacts;
  readonly admitted: Admission | undefined;
}

export function createLoginProgress(options: LoginProgressOptions) {
  return {
    /** Undefined in a first step. If the password or role has changed since the first step, the login must begin again. */
    async findBegun(flow: LoginFlow | undefined, facts: LoginEntryFacts): Promise<Account | undefined> {
      if (flow === undefined || flow.userId === null) return undefined;
      const found = await options.findAccount(flow.userId);
      if (found === undefined || found.account.epoch !== flow.epoch) throw new AppError('captcha_wrong');
      facts.account = found.account;
      if (!found.userEnabled || !found.roleEnabled) {
        facts.reason = found.userEnabled ? 'role_disabled' : 'user_disabled';
        throw new AppError('credentials_wrong');
      }
      return found.account;
    },

    /** Issues the token and ends the flow; if the proof is below the required factor, records the passed step instead. */
    async issue(
      proof: Exclude<Proof, { readonly refused: unknown }>,
      { name: method, factor, wrong, tokenLifetimeSeconds: lifetimeSeconds }: LoginMethod,
      { origin, flow, facts, admitted }: IssueOptions,
    ) {
      const { account, credentialId, recoveryCodes } = proof;
      const provider = proof.provider ?? firstStepProvider(flow);
      // A login through a provider did not use the password that another person set, so its due change does not apply.
      const { passwordDue: _due, ...withoutDue } = account;
      const issuedTo = provider === undefined ? account : withoutDue;
      try {
        const proven = { method, factor, credentialId, provider, lifetimeSeconds };
        const issued = await options.issueToken(issuedTo, origin, proven, admitted);
        await flow?.end();
        return { ...issued, recoveryCodes };
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'factor_required') throw error;
        if (flow === undefined) {
          // Factor 3 is the highest: the refusal means that its credential ended in the meantime.
          throw factor === 3 ? new AppError(wrong) : error;
        }
        await flow.note(account, method, proof.provider);
        const details = await options.describeNext(account, [...flow.passed, method]);
        throw new AppError('factor_required', { details });
      } finally {
        facts.credentialId = credentialId;
      }
    },
  };
}
