/** What a decision rests on: it stands while nothing changed in memory, and counts while the lease is live. */
export interface CurrentAccess {
  readonly generation: number;
  isLive(): boolean;
}
