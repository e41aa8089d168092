// Status of the login log, for the operator's metrics.
export interface LoginLogStatus {
  /** Age of the oldest record that is not in the table yet; 0 without one. A lost disk would lose the records since then. */
  readonly lagMilliseconds: number;
  readonly spoolBytes: number;
  /** Attempts since the start that the spool did not take, and that were given to the database before they were answered. */
  readonly bypassed: number;
  /** Attempts since the start that could not be stored anywhere; such a success was refused. */
  readonly unrecorded: { readonly success: number; readonly failure: number };
  /** Records since the start that Postgres refused (dead letters). */
  readonly deadLetters: number;
}
