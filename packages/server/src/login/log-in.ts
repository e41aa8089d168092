// The login processing order of the specification, step by step. No step may move.
import { type Account, AppError, type LoginBody, type LoginReason } from '@portcullis/contract';
import type { Captcha } from './captcha/captcha.ts';
import type { CredentialVerifier } from './credentials/credential-verifier.ts';

/** What the login log is told about an attempt beyond what was sent. */
export interface AttemptFacts {
  account?: Account;
  jti?: string;
  /** Why it was refused, where that says more than the answer. */
  reason?: LoginReason;
}

/** Where an attempt came from. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

export interface LoginOptions {
  readonly captchaRequired: boolean;
  readonly captcha: Captcha;
  readonly credentials: CredentialVerifier;
  readonly issueToken: (account: Account, origin: Origin) => Promise<IssuedToken>;
}

export function createLogIn({ captchaRequired, captcha, credentials, issueToken }: LoginOptions) {
  return async function logIn(body: LoginBody, origin: Origin, facts: AttemptFacts): Promise<IssuedToken> {
    // 1. Bind and validate the parameters. The schema did; what it leaves open depends on the mode.
    const { uuid, code } = body;
    if (captchaRequired && (uuid === undefined || code === undefined)) throw new AppError('params_invalid');

    // 2. Verify the captcha.
    if (captchaRequired && !(await captcha.isSolvedBy(uuid ?? '', code ?? '')))
      throw new AppError('captcha_wrong');

    // 3. Check username and password and look up the matching user and role.
    const verification = await credentials.verify(body);
    if ('refused' in verification) {
      facts.reason = verification.refused;
      throw new AppError('credentials_wrong');
    }
    facts.account = verification.account;

    // 4. Issue a JWT.
    const issued = await issueToken(verification.account, origin);
    facts.jti = issued.jti;
    return issued;
  };
}
