import type { Revision } from './follower.ts';

/** What a decision rests on: it stands while nothing changed in memory, and counts while the lease is live. */
export interface CurrentAccess {
  /** What memory is at. */
  readonly revision: Revision;
  readonly generation: number;
  /** When the next temporary rule ends by the database's clock: what is decided now may not stand after it. */
  readonly nextEnd?: number | undefined;
  isLive(): boolean;
}
