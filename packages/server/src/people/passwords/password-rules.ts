// Which new passwords are accepted, after NIST SP 800-63B: long ones that are not among the first to be guessed. No rule
// asks for kinds of characters, and none for a change after some time.
import { AppError } from '@portcullis/contract';
import { isCommonPassword } from './common-passwords.ts';

/** Whose password it is to be. */
export interface PasswordOwner {
  readonly username: string;
  readonly name: string;
}

export type PasswordWeakness = 'too_short' | 'too_long' | 'unreadable' | 'common' | 'close_to_name';

export interface PasswordRules {
  /** What is wrong with it; empty where it is good. */
  lint(password: string, owner: PasswordOwner): PasswordWeakness[];
  /** Throws where something is. */
  check(password: string, owner: PasswordOwner): void;
}

const maximumLength = 256;
const productNames = ['portcullis', 'goadmin', 'ruoyi'];
/** What must be left beside the names: as much as any password has at least. */
const leastBesideNames = 8;
/** Shorter parts of names are in too many words. */
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
    check(password, owner) {
      if (lint(password, owner).length > 0) throw new AppError('password_weak');
    },
  };
}

/** What people write for letters. */
const disguises: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g' },
  ...{ '@': 'a', $: 's', '|': 'l', '+': 't', '€': 'e' },
};
/** And what they write for more than one: a `1` is an i or an l, a `!` an i or nothing. */
const ambiguous = ['i', 'l'].flatMap((one) => ['i', ''].map((bang) => ({ one, bang })));

/** The password as those read it who guess: in small letters and without signs, with digits as digits and as letters. */
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
  // Long ones first, so that no part of one is left behind.
  return [...new Set(names)].sort((a, b) => b.length - a.length);
}

/** Whether what is beside the names would not be a password by itself. */
function isCloseToName(reading: string, names: readonly string[]): boolean {
  const rest = names.reduce((left, name) => left.replaceAll(name, ''), reading);
  return rest !== reading && (rest.length < leastBesideNames || isCommonPassword(rest));
}
