// A directory that cannot be asked, or that answers what nobody can go by. Nobody's password was wrong.

export const awayReasons = [
  'unreachable',
  'certificate',
  'slow',
  'reader_refused',
  'too_much',
  'unreadable',
  'referral',
  'busy',
] as const;
export type AwayReason = (typeof awayReasons)[number];

export class DirectoryAway extends Error {
  override readonly name = 'DirectoryAway';
  readonly reason: AwayReason;

  constructor(reason: AwayReason, options?: ErrorOptions) {
    super(`The directory is away: ${reason}.`, options);
    this.reason = reason;
  }
}
