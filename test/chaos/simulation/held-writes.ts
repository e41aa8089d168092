// The simplest memory of access: which writes it holds, a bit each. A write is the end of one token.
import type { Change, Replica, SnapshotRecord } from '@portcullis/gate';

export interface HeldWrites extends Replica {
  readonly writes: number;
}

export function createHeldWrites(): HeldWrites {
  let writes = 0;
  return {
    get writes() {
      return writes;
    },
    load() {
      let loaded = 0;
      return {
        take(piece) {
          if (piece.kind === 'revocations') loaded = Number(piece.lines);
        },
        finish: () => () => {
          writes = loaded;
        },
      };
    },
    apply(changes) {
      for (const change of changes) if (change.kind === 'token_revoked') writes |= 1 << Number(change.jti);
    },
  };
}

export function changeOf(write: number): Change {
  return { kind: 'token_revoked', jti: String(write), expiresAt: 0 };
}

export function pieceOf(writes: number): SnapshotRecord {
  return { kind: 'revocations', lines: String(writes) };
}
