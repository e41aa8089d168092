// Recheck of the caller at commit: whether the caller is still allowed to do what the checks let pass. Between the checks and the
// commit, hashing a password or waiting for a lock or a connection takes time. Meanwhile a revocation of the caller may have
// returned.
import { AppError, type Caller, type Confirmed, type Unchecked } from '@portcullis/contract';
import { type Change, compileSchema, createReadChanges, type Revision } from '@portcullis/gate';
import { Type } from 'typebox';
import { listRevisionsFrom, readDatabaseTime } from './revision-store.ts';
import { ScopeChange } from './scope-change.ts';
import type { StoreTransaction } from './store/store.ts';

/** The write was not made: the caller must be checked again, with a memory at this revision. */
export class CallerChanged extends Error {
  readonly revision: number;
  constructor(revision: number) {
    super('The caller was changed while the request was on its way. Send it again.');
    this.name = 'CallerChanged';
    this.revision = revision;
  }
}

export type CheckCaller = (
  transaction: StoreTransaction,
  call: Confirmed | Unchecked,
  newest: Revision,
) => Promise<void>;

/**
 * Runs in a transaction that holds the lock of the revision, as a separate statement: a statement that waited for the lock sees
 * an old snapshot.
 */
export function createCallerCheck(): CheckCaller {
  const readChanges = createReadChanges();
  const isMoves = compileSchema(Type.Array(ScopeChange));
  return async (transaction, call, newest) => {
    const { confirmedAt } = call;
    if (confirmedAt === 'unchecked' || isUnchecked(call)) return;
    const { caller, confirmedUntil = Number.POSITIVE_INFINITY } = call;
    if (confirmedAt === undefined) throw new Error('A caller writes whom no check let pass.');
    if (
      confirmedUntil !== Number.POSITIVE_INFINITY &&
      (await readDatabaseTime(transaction)) >= confirmedUntil
    )
      throw new CallerChanged(newest.n);
    if (confirmedAt.n === newest.n && confirmedAt.mark === newest.mark) return;
    const [own, ...since] = await listRevisionsFrom(transaction, confirmedAt.n);
    // The revision belongs to a history that this database does not have, so nothing can be decided.
    if (own?.mark !== confirmedAt.mark) throw new AppError('unavailable');
    if (since.at(-1)?.n !== newest.n) throw new CallerChanged(newest.n);
    for (const { changes: stored, moves } of since) {
      const changes = readChanges(stored);
      const isOfOthers =
        changes !== undefined &&
        isMoves(moves) &&
        !changes.some((change) => concerns(change, caller)) &&
        !moves.some((move) => moved(move, caller));
      if (!isOfOthers) throw new CallerChanged(newest.n);
    }
  };
}

function isUnchecked(call: Confirmed | Unchecked): call is Unchecked {
  return call.confirmedAt === 'unchecked';
}

function concerns(change: Change, { userId, jti, roleId, roleKey }: Caller): boolean {
  switch (change.kind) {
    case 'token_revoked':
      return change.jti === jti;
    case 'epoch_raised':
      return change.userId === userId;
    case 'role_set':
    case 'role_disabled':
      return change.id === roleId;
    case 'rule_added':
    case 'rule_removed':
    case 'temporary_rule_set':
    case 'temporary_rule_removed':
      return change.roleKey === roleKey;
    case 'key_added':
    case 'key_activated':
      return false;
    // A retired key can be the caller's own; the effect of an unknown kind is unknown.
    default:
      return true;
  }
}

/** A move cannot affect a caller whose data scope is all rows. */
function moved(move: ScopeChange, { userId, dataScope }: Caller): boolean {
  if (dataScope === '1') return false;
  return move.kind === 'user_moved' ? move.userId === userId : true;
}
