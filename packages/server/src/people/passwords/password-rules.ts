// Password policy: which new passwords are accepted, according to NIST SP 800-63B. A password must be long and neither common nor
// close to its owner's name. There are no rules about character classes, and passwords do not expire.
import { AppError } from '@portcullis/contract';
import { isCommonPassword } from './common-passwords.ts';
import { describeWeaknesses, maximumLength, type PasswordWeakness } from './password-weakness.ts';

/** The user for whom the password is. */
export interface PasswordOwner {
  readonly username: string;
  readonly name: string;
}

export interface PasswordRules {
  /** The reasons to reject the password; empty if it is accepted. */
  lint(password: string, owner: PasswordOwner): PasswordWeakness[];
  /** Throws if there is a reason to reject it. `before` is the password that it replaces, if the caller sent it. */
  check(password: string, owner: PasswordOwner, before?: string): void;
}

const productNames = ['portcullis', 'goadmin', 'ruoyi'];
/** This many characters must remain without the names: the smallest minimum length that the settings allow. */
const leastBesideNames = 8;
/** Shorter parts of names occur in too many words. */
const leastNamePart = 3;

export function createPasswordRules({ minimumLength }: { readonly minimumLength: number }): PasswordRules {
  function lint(password: string, owner: PasswordOwner): PasswordWeakness[] {
    const text = password.normalize('NFC');
    // NIST counts code points.
    const length = [...text].length;
    if (length > maximumLength) return ['too_long'];
    const found: PasswordWeakness[] = [];
    if (!text.isWellFormed() || text.includes('\0')) found.push('unreadable');
    if (length < minimumLength) found.push('too_short');
    const readings = readingsOf(text);
    if (readings.some(isCommonPassword)) found.push('common');
    const names = namesOf(owner);
    if (readings.some((reading) => isCloseToName(reading, names))) found.push('close_to_name');
    return found;
  }
  return {
    lint,
    check(password, owner, before) {
      const found = lint(password, owner);
      if (before?.normalize('NFC') === password.normalize('NFC')) found.push('same');
      if (found.length > 0)
        throw new AppError('password_weak', { text: describeWeaknesses(found, minimumLength) });
    },
  };
}

/** Characters that people write for a letter (leetspeak). */
const disguises: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g' },
  ...{ '@': 'a', $: 's', '|': 'l', '+': 't', '€': 'e' },
};
/** Characters with two readings: `1` is an i or an l, `!` is an i or nothing. */
const ambiguous = ['i', 'l'].flatMap((one) => ['i', ''].map((bang) => ({ one, bang })));

/** The password as an attacker guesses it: in lower case and without punctuation, with digits as digits and as letters. */
function readingsOf(password: string): string[] {
  const folded = password.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const undisguised = folded.replace(/[^a-z1!]/g, (sign) => disguises[sign] ?? sign);
  const read = ambiguous.map(({ one, bang }) => undisguised.replaceAll('1', one).replaceAll('!', bang));
  return [...new Set([folded, ...read].map((text) => text.replace(/[^\p{L}\p{N}]/gu, '')))];
}

function namesOf({ username, name }: PasswordOwner): string[] {
  const parts = [username, name].flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  const names = [...productNames, ...parts.flatMap(readingsOf)].filter(
    ({ length }) => length >= leastNamePart,
  );
  // Long names first: removing a short name must not leave parts of a long one.
  return [...new Set(names)].sort((a, b) => b.length - a.length);
}

/** Whether the rest of the password, without the names, is too short or common. */
function isCloseToName(reading: string, names: readonly string[]): boolean {
  const rest = names.reduce((left, name) => left.replaceAll(name, ''), reading);
  return rest !== reading && (rest.length < leastBesideNames || isCommonPassword(rest));
}
