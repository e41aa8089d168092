// A directory that cannot be asked, or that answers what nobody can go by. Nobody's password was wrong.

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
  /** Whether the password of a login had been sent. A directory that answers only the right one in time would tell it. */
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
