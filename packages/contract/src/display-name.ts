// Names that people read: of a role, of a department, of a user. Nothing invisible, no space at an end, and letters by which
// one name can be told from another: in those of one script it cannot borrow a letter that another script draws alike.
import { Type } from 'typebox';

export const displayNamePattern =
  '^(?! )[^\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]{1,64}(?<! )$';

export const DisplayName = Type.String({ pattern: displayNamePattern });

/** Written together, by the level “highly restrictive” of UTS 39. */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/** Those in everyday use, UAX 31. All others count as one more. */
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
/** Made when a name is first looked at: to read so many classes would cost every start 20 ms. */
let shapes: readonly RegExp[] | undefined;

/** @example isOneScript('аda') // false where the first letter is Cyrillic */
export function isOneScript(text: string): boolean {
  shapes ??= patterns.map((pattern) => new RegExp(pattern, 'u'));
  return shapes.some((shape) => shape.test(text));
}

/** For names of several words, of which each may have its own script: “HR отдел”. */
export function hasWordsOfOneScript(text: string): boolean {
  return text
    .normalize('NFKC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .every(isOneScript);
}
