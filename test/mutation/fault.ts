// A fault that can be planted: one place of one file, replaced.

export interface Planting {
  /** What goes wrong. */
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly before: string;
  readonly after: string;
}

export interface Fault extends Planting {
  /** Test files of which at least one test must fail. */
  readonly seenBy: readonly [string, ...string[]];
}

/** A change after which the service decides and answers as before: no test can see it. */
export interface NoFault extends Planting {
  readonly reason: string;
}

/** The text of the file with the fault in it. */
export function planted({ before, after }: Planting, text: string): string {
  // By a function: `$&` and the like are plain text here.
  return text.replace(before, () => after);
}
