// The error that refuses a start because of the settings, the code or the database. Every part can throw it; the process prints the
// reasons and exits with code 78 before it binds a port.
export class StartRefusal extends Error {
  /** Reasons for the operator, one per line, each with its remedy. */
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.name = 'StartRefusal';
    this.reasons = reasons;
  }
}
