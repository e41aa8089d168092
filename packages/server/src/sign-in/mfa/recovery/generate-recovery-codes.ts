// Generates ten recovery codes, for a user without a factor at hand. They replace the earlier codes.
import type { StoreTransaction } from '../../../cluster/store/store.ts';
import { replaceCodes } from './code-store.ts';
import { generateRecoveryCode, hashRecoveryCode } from './recovery-code.ts';

const recoveryCodes = 10;

export async function generateRecoveryCodes(
  transaction: StoreTransaction,
  userId: number,
  randomBytes: (size: number) => Buffer,
): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, () => generateRecoveryCode(randomBytes));
  await replaceCodes(
    transaction,
    userId,
    codes.map((code) => hashRecoveryCode(userId, code)),
  );
  return codes;
}
