// Spellings of one user name, which are all that account: another case, wide and mathematical letters, ligatures, marks
// as characters of their own, spaces around.
import { Random } from '../../fuzz/random.ts';

/** Has letters for every kind of spelling: `ffi` is a ligature, `é` a letter with a mark, `k` and `s` have twins. */
export const manyFacedName = 'kaisérffi';

const spaces = ['', '', ' ', '   ', '\t', '\u00a0', '\u3000', '\u2003', '\ufeff', '\r\n'];
const fromLatin = (base: number) => (delivery: string) =>
  /^[a-z]$/.test(delivery) ? String.fromCodePoint(base + delivery.charCodeAt(0) - 97) : delivery;
/** What a letter may be written as; the compatibility form of each is the letter. */
const letterForms: readonly ((delivery: string) => string)[] = [
  (delivery) => delivery,
  (delivery) => delivery.toUpperCase(),
  (delivery) => delivery.normalize('NFD'),
  (delivery) => delivery.toUpperCase().normalize('NFD'),
  fromLatin(0xff41),
  fromLatin(0xff21),
  fromLatin(0x1d41a),
  fromLatin(0x24d0),
  (delivery) => (delivery === 'k' ? '\u212a' : delivery),
  (delivery) => (delivery === 's' ? '\u017f' : delivery),
];

export function spellingsOf(name: string, count: number): string[] {
  const random = new Random(73);
  const found = new Set<string>();
  while (found.size < count) {
    const whole = random.once(3) ? name.replace('ffi', random.pick(['ﬃ', 'ﬀi', 'fﬁ'])) : name;
    const letters = Array.from(whole, (delivery) => random.pick(letterForms)(delivery)).join('');
    found.add(random.pick(spaces) + letters + random.pick(spaces));
  }
  return [...found];
}
