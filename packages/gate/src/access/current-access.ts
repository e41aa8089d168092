// The state of access that a decision is based on.
import type { Revision } from './follower.ts';

/** A decision stays valid while `generation` is unchanged, the lease is live and `nextEnd` is in the future. */
export interface CurrentAccess {
  /** The revision that memory holds. */
  readonly revision: Revision;
  readonly generation: number;
  /** When the next temporary rule ends, by the database's clock: a decision made now can be wrong after it. */
  readonly nextEnd?: number | undefined;
  isLive(): boolean;
}
