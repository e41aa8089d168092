// The error for a directory that cannot be reached or whose answer cannot be used. It does not say that a password was wrong.

export const unavailableReasons = [
  'unreachable',
  'certificate',
  'slow',
  'reader_refused',
  'too_much',
  'unreadable',
  'referral',
  'busy',
] as const;
export type UnavailableReason = (typeof unavailableReasons)[number];

export class DirectoryUnavailable extends Error {
  override readonly name = 'DirectoryUnavailable';
  readonly reason: UnavailableReason;
  /**
   * Whether the password of a login had been sent. Then the attempt counts: a directory that answers only the right password
   * within the time limit would otherwise reveal it.
   */
  readonly passwordSent: boolean;

  constructor(
    reason: UnavailableReason,
    { passwordSent = false, ...options }: ErrorOptions & { readonly passwordSent?: boolean } = {},
  ) {
    super(`The directory is away: ${reason}.`, options);
    this.reason = reason;
    this.passwordSent = passwordSent;
  }
}
