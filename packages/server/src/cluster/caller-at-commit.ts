// Whether a caller may still do what the checks let pass. Between the checks and the commit a password is hashed, a lock
// is waited for, a pool is empty: the caller may have been disabled meanwhile, and that call may have been answered.
import { AppError, type Caller, type Confirmed, type Unchecked } from '@portcullis/contract';
import { type Change, compileSchema, createReadChanges, type Revision } from '@portcullis/gate';
import { Type } from 'typebox';
import { listRevisionsFrom, readDatabaseTime } from './revision-store.ts';
import { ScopeChange } from './scope-change.ts';
import type { StoreTransaction } from './store/store.ts';

/** The write was not made: the caller is to be judged again, by a memory that is at this revision. */
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

/** Asked by a transaction that holds the lock of the revision, in a statement of its own: one that waited sees the past. */
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
    // Of a history that this database does not have: nothing can be said.
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
    // A key that was retired may be the caller's own; of a kind that is not known here, nothing is known.
    default:
      return true;
  }
}

/** Who sees all rows is moved by nobody. */
function moved(move: ScopeChange, { userId, dataScope }: Caller): boolean {
  if (dataScope === '1') return false;
  return move.kind === 'user_moved' ? move.userId === userId : true;
}
