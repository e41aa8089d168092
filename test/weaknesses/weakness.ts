// A weakness that can be planted: one place of one file, replaced. The tests that it names must fail then.

export interface Planting {
  /** What goes wrong. */
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly before: string;
  readonly after: string;
}

export interface Weakness extends Planting {
  /** Test files, or suites such as `npm run operate`, of which at least one test must fail. */
  readonly seenBy: readonly [string, ...string[]];
  /**
   * The row of docs/explanation/security.md that does not hold then, such as T280: its attack succeeds, or something else that the
   * row or the test of the row says is not so any more.
   */
  readonly threat?: `T${number}`;
}

/** A change after which the service decides and answers as before: no test can see it. */
export interface Equivalent extends Planting {
  readonly reason: string;
}

/** The text of the file with the weakness in it. */
export function planted({ before, after }: Planting, text: string): string {
  // By a function: `$&` and the like are plain text here.
  return text.replace(before, () => after);
}
