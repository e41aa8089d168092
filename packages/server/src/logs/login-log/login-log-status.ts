// How the login log fares, for the operator's metrics.
export interface LoginLogStatus {
  /** Age of the oldest record that is not in the table yet; 0 where there is none. What a lost disk would take. */
  readonly lagMilliseconds: number;
  readonly spoolBytes: number;
  /** Attempts since the start that could be stored nowhere; such a success was refused. */
  readonly unrecorded: { readonly success: number; readonly failure: number };
  /** Records since the start that Postgres refused, and which were set aside. */
  readonly deadLetters: number;
}
