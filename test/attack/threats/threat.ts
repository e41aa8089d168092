// One row of the threats: what somebody does, and what stands against it.

export interface Threat {
  /** T01 on. The titles of the tests that hold the row begin with it. */
  readonly id: string;
  readonly attack: string;
  readonly defence: string;
  /** What else holds it: a file of tests, or a command with the name of what it runs. */
  readonly heldBy?: readonly string[];
  /** What of it is not held, and why. */
  readonly open?: string;
}

export interface Section {
  readonly title: string;
  readonly threats: readonly Threat[];
}
