// Validates display names of roles, departments and users, against look-alike names (homoglyphs): nothing invisible, no space at
// an end, and letters of one script, so that a name cannot borrow a letter that another script draws alike.
import { Type } from 'typebox';

export const displayNamePattern =
  '^(?! )[^\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]{1,64}(?<! )$';

export const DisplayName = Type.String({
  pattern: displayNamePattern,
  description:
    'At most 64 characters: no control characters, no invisible ones, no line break, and no space at either end.',
});

/** Scripts that are written together, by the level “highly restrictive” of UTS 39. */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/** Scripts in everyday use, UAX 31. All other scripts count as one more. */
const alone =
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
    .split(' ')
    .map((script) => [script]);

/** Digits, signs and accents that belong to no script. */
const ofAll = '\\p{scx=Common}\\p{scx=Inherited}';
const classOf = (scripts: readonly string[]) => scripts.map((script) => `\\p{scx=${script}}`).join('');
const groups = [...together, ...alone];
const patterns = [
  ...groups.map((scripts) => `^[${ofAll}${classOf(scripts)}]*$`),
  `^[^${classOf(groups.flat())}]*$`,
];
/** Compiled when the first name is checked: to read so many classes would cost every start 20 ms. */
let shapes: readonly RegExp[] | undefined;

/** @example isOneScript('аda') // false where the first letter is Cyrillic */
export function isOneScript(text: string): boolean {
  shapes ??= patterns.map((pattern) => new RegExp(pattern, 'u'));
  return shapes.some((shape) => shape.test(text));
}

/** For names of several words, each of which can have another script: “HR отдел”. */
export function hasWordsOfOneScript(text: string): boolean {
  return text
    .normalize('NFKC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .every(isOneScript);
}
