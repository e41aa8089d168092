// Verifies a username and a password against the stored hash. Unknown name, wrong password and disabled account take the same
// path, so that the time of the answer reveals nothing (timing attack).
import type { CredentialVerifier, StoredAccount, Verification } from './credential-verifier.ts';
import type { HashPool } from './hash-pool.ts';
import type { PasswordHashes } from './password-hashes.ts';

interface PasswordVerifierOptions {
  readonly findAccount: (username: string) => Promise<StoredAccount | undefined>;
  /** Replaces the old hash only: it must not undo a password that was changed in the meantime. */
  readonly replaceHash: (userId: number, oldHash: string, newHash: string) => Promise<void>;
  readonly hashes: PasswordHashes;
  readonly pool: HashPool;
  readonly refusalTime: { readonly milliseconds: number };
  readonly monotonic: () => number;
}

export function createPasswordVerifier(options: PasswordVerifierOptions): CredentialVerifier {
  const { findAccount, replaceHash, hashes, pool, refusalTime, monotonic } = options;

  /** Runs the work, and measures its duration. */
  async function time<T>(work: () => Promise<T>): Promise<{ result: T; milliseconds: number }> {
    const startedAt = monotonic();
    const result = await work();
    return { result, milliseconds: monotonic() - startedAt };
  }

  /** Rehash on login. An error is ignored: the next login tries again. */
  async function bringUpToDate(
    { account, passwordHash }: StoredAccount,
    password: string,
    isUrgent: boolean,
  ) {
    if (hashes.isCurrent(passwordHash)) return;
    try {
      const newHash = await pool.run(() => hashes.hash(password), isUrgent);
      await replaceHash(account.userId, passwordHash, newHash);
    } catch {}
  }

  return {
    async verify({ username, password }, { isKnownNetwork, found: foundBefore }) {
      const found = foundBefore ?? (await time(() => findAccount(username)));
      const stored = found.result;
      const compared = await pool.run(
        () => time(() => hashes.matches(password, stored?.passwordHash)),
        isKnownNetwork,
      );
      const verification = judge(stored, compared.result);
      if ('refused' in verification) {
        const rest = refusalTime.milliseconds - found.milliseconds - compared.milliseconds;
        return { ...verification, restMilliseconds: Math.max(0, rest) };
      }
      if (stored !== undefined) await bringUpToDate(stored, password, isKnownNetwork);
      return verification;
    },
  };
}

function judge(stored: StoredAccount | undefined, matches: boolean): Verification {
  const account = stored?.account;
  if (account === undefined || !matches) return { refused: 'credentials_wrong', account };
  if (stored?.isDecidedByProvider) return { refused: 'provider_login_required', account };
  if (!stored?.userEnabled) return { refused: 'user_disabled', account };
  if (!stored.roleEnabled) return { refused: 'role_disabled', account };
  return { account };
}
