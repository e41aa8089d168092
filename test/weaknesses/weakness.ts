// A weakness that can be planted: a place of a file, replaced, or several places where one defence stands behind another. The
// tests that it names must fail then. Where it breaks a threat, the attack of that threat must succeed.

export interface Place {
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly before: string;
  readonly after: string;
}

export interface Planting extends Place {
  /** What goes wrong. */
  readonly name: string;
  /** The other places, where the attack meets a second defence behind the first. */
  readonly also?: readonly Place[];
}

export type ThreatId = `T${number}`;

export interface Weakness extends Planting {
  /** Test files, or suites such as `npm run operate`, of which at least one test must fail. */
  readonly seenBy: readonly [string, ...string[]];
  /**
   * The rows of docs/explanation/security.md that do not hold then, such as T280: the attack of each succeeds, or something else
   * that the row or the test of the row says is not so any more.
   */
  readonly threat?: ThreatId | readonly ThreatId[];
  /**
   * Parts of the titles of its tests. In every test that has one of them in its title, the attack must succeed against the weakened
   * service, and the test must say so itself: see attack.ts.
   */
  readonly attacks?: readonly [string, ...string[]];
}

/** A change after which the service decides and answers as before: no test can see it. */
export interface Equivalent extends Planting {
  readonly reason: string;
}

/** The text of the file with the weakness in it. */
export function planted({ before, after }: Omit<Place, 'file'>, text: string): string {
  // By a function: `$&` and the like are plain text here.
  return text.replace(before, () => after);
}

export function placesOf({ file, before, after, also = [] }: Planting): readonly Place[] {
  return [{ file, before, after }, ...also];
}

export function threatsOf({ threat = [] }: Pick<Weakness, 'threat'>): readonly ThreatId[] {
  return typeof threat === 'string' ? [threat] : threat;
}

/** The files of the weakness with it in them. */
export function plantedFiles(
  planting: Planting,
  read: (file: string) => string,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const place of placesOf(planting))
    texts.set(place.file, planted(place, texts.get(place.file) ?? read(place.file)));
  return texts;
}
