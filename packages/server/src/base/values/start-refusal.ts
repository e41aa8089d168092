// Something about the settings, the code or the database stops the start. Any part may throw it; the process
// prints the reasons and exits 78 before it binds a port.
export class StartRefusal extends Error {
  /** For the operator, one a line, each with what to do. */
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.name = 'StartRefusal';
    this.reasons = reasons;
  }
}
