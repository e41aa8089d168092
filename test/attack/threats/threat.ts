// One threat: an attack, its defence, and the tests of the defence. A section is a page of docs/explanation/security.

export interface Threat {
  /** T01 on. The titles of its tests in test/attack begin with it. */
  readonly id: string;
  readonly attack: string;
  readonly defence: string;
  /** Further tests: a file, or a command with the name of a case. */
  readonly heldBy?: readonly string[];
  /** The part that is not defended, and the reason. */
  readonly open?: string;
}

export interface Section {
  readonly title: string;
  /** The name of its page in docs/explanation/security, without `.md`. */
  readonly page: string;
  readonly threats: readonly Threat[];
}
