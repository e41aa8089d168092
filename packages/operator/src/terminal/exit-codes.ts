// The exit codes of commands, for scripts. The larger numbers are those of sysexits.h.
export const exitCodes = {
  done: 0,
  /** The request was refused or failed: a problem was found, a record does not exist, or a rule forbids the change. */
  refused: 1,
  /** No problem was found, but truncation of a log could not be checked, because no anchor was given. */
  notAnchored: 3,
  /** The command line is invalid. */
  usage: 64,
  /** Postgres, or another required part, does not answer. */
  unavailable: 69,
  /** The settings are invalid. */
  configuration: 78,
  /** Ctrl-C, or No as the answer to a question. No change is half done. */
  interrupted: 130,
} as const;

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'Done.',
  refused:
    'The command was refused, or found a problem: a record does not exist, a rule forbids the change, a check fails.',
  notAnchored:
    'Not anchored: `log verify` found nothing, but was given no head that was kept elsewhere, so what was cut off at the end cannot be seen.',
  usage: 'The command line is wrong: an unknown command or option, an invalid value, or a missing answer.',
  unavailable: 'Postgres, or another part that is needed, does not answer. Try again later.',
  configuration: 'The settings, or the database that they name, are wrong.',
  interrupted: 'Ctrl-C, or No as the answer to a question. No change is half done.',
};

/** For the reference page. */
export const exitCodeTable: readonly { readonly code: number; readonly meaning: string }[] = Object.entries(
  meanings,
).map(([name, meaning]) => ({ code: exitCodes[name as keyof typeof exitCodes], meaning }));

/** Ends the command with a sentence on stderr that says what to do next. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(reason: string, exitCode: number = exitCodes.refused) {
    super(reason);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}
