// Spellings of one user name, which are all that account: another case, wide and mathematical letters, ligatures, marks
// as characters of their own, spaces around.
import { Random } from '../../fuzz/random.ts';

/** Has letters for every kind of spelling: `ffi` is a ligature, `é` a letter with a mark, `k` and `s` have twins. */
export const manyFacedName = 'kaisérffi';

const spaces = ['', '', ' ', '   ', '\t', '\u00a0', '\u3000', '\u2003', '\ufeff', '\r\n'];
const fromLatin = (base: number) => (letter: string) =>
  /^[a-z]$/.test(letter) ? String.fromCodePoint(base + letter.charCodeAt(0) - 97) : letter;
/** What a letter may be written as; the compatibility form of each is the letter. */
const letterForms: readonly ((letter: string) => string)[] = [
  (letter) => letter,
  (letter) => letter.toUpperCase(),
  (letter) => letter.normalize('NFD'),
  (letter) => letter.toUpperCase().normalize('NFD'),
  fromLatin(0xff41),
  fromLatin(0xff21),
  fromLatin(0x1d41a),
  fromLatin(0x24d0),
  (letter) => (letter === 'k' ? '\u212a' : letter),
  (letter) => (letter === 's' ? '\u017f' : letter),
];

export function spellingsOf(name: string, count: number): string[] {
  const random = new Random(73);
  const found = new Set<string>();
  while (found.size < count) {
    const whole = random.once(3) ? name.replace('ffi', random.pick(['ﬃ', 'ﬀi', 'fﬁ'])) : name;
    const letters = Array.from(whole, (letter) => random.pick(letterForms)(letter)).join('');
    found.add(random.pick(spaces) + letters + random.pick(spaces));
  }
  return [...found];
}
