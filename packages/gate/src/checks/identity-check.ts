// Check 1, who: a token that is ours, has not expired and still stands gives the caller. Everything that can
// change after a token was issued is asked of memory, and asked again after every change.
import { AppError, type Caller, dataScopeOf } from '@portcullis/contract';
import type { Revocations } from '../access/revocations.ts';
import { createBoundedMap } from '../bounded-map.ts';
import { type Carriers, readBearer, scheme } from '../token/read-bearer.ts';
import type { VerifiedToken, VerifyToken } from '../token/verify-token.ts';
import type { VerifyingKeys } from '../token/verifying-keys.ts';

export interface Identifiable {
  readonly carriers: Carriers;
  caller: Caller | undefined;
}

/** What a request costs whose token is not known yet. Where nothing is given, it costs nothing. */
export interface UnauthenticatedLimit<T> {
  /** Runs the verification where it may still be paid for, and charges for one that fails. */
  verify<V>(request: T, verification: () => Promise<V>): Promise<V>;
  /** Charges for a request without a token that stands; throws where it cannot be paid for. */
  anonymous(request: T): void;
}

interface IdentityCheckOptions {
  readonly verify: VerifyToken;
  readonly keys: Pick<VerifyingKeys, 'find'>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly findRole: (id: number) => { readonly roleKey: string; readonly dataScope: string } | undefined;
  /** Its generation differs whenever a key, a revocation or a role changed. */
  readonly changes: { readonly generation: number };
  readonly now: () => number;
}

/** A token that was verified before, with its whole text, so that no other text can stand for it. */
interface Known extends VerifiedToken {
  readonly bearer: string;
  readonly caller: Caller;
  /** The generation in which the token last stood. */
  stoodAt: number | undefined;
}

/** More tokens than this push out the ones that came first; those are verified again. */
const cachedTokens = 100_000;

export function createIdentityCheck(options: IdentityCheckOptions) {
  const cache = createBoundedMap<number, Known>(cachedTokens);
  const { verify, keys, revocations, findRole, changes, now } = options;

  function stands({ kid, claims }: Known): boolean {
    const role = findRole(claims.roleid);
    return (
      keys.find(kid) !== undefined &&
      revocations.isRevoked(claims) === false &&
      role?.roleKey === claims.rolekey &&
      role.dataScope === claims.datascope
    );
  }

  function admit(exchange: Identifiable, known: Known): void {
    if (!(known.caller.expiresAt * 1000 > now())) throw new AppError('token_expired');
    const current = changes.generation;
    if (known.stoodAt !== current) {
      if (!stands(known)) throw new AppError('token_revoked');
      known.stoodAt = current;
    }
    exchange.caller = known.caller;
  }

  async function verifyText(bearer: string): Promise<Known> {
    const verified = await verify(bearer.slice(scheme.length));
    const known = { ...verified, bearer, caller: callerOf(verified), stoodAt: undefined };
    cache.set(placeOf(bearer), known);
    return known;
  }

  async function verifyAndAdmit<T extends Identifiable>(
    exchange: T,
    bearer: string,
    unauthenticatedLimit: UnauthenticatedLimit<T> | undefined,
  ): Promise<void> {
    const verification = () => verifyText(bearer);
    const known = await (unauthenticatedLimit === undefined
      ? verification()
      : unauthenticatedLimit.verify(exchange, verification));
    try {
      admit(exchange, known);
    } catch (error) {
      unauthenticatedLimit?.anonymous(exchange);
      throw error;
    }
  }

  /** Returns without a promise where the token is known: that is nearly every request. */
  return function identityCheck<T extends Identifiable>(
    exchange: T,
    unauthenticatedLimit?: UnauthenticatedLimit<T>,
  ): void | Promise<void> {
    let bearer: string;
    try {
      bearer = readBearer(exchange.carriers);
      const known = cache.get(placeOf(bearer));
      if (known?.bearer === bearer) return admit(exchange, known);
    } catch (error) {
      // Who has no token, or one that no longer stands, is nobody: whoever it was issued to must not pay for it.
      unauthenticatedLimit?.anonymous(exchange);
      throw error;
    }
    return verifyAndAdmit(exchange, bearer, unauthenticatedLimit);
  };
}

/** Frozen, because all requests with the token share it. */
function callerOf({ claims }: VerifiedToken): Caller {
  return Object.freeze({
    userId: Number(claims.sub),
    username: claims.nice,
    roleId: claims.roleid,
    roleKey: claims.rolekey,
    dataScope: dataScopeOf(claims.datascope),
    jti: claims.jti,
    expiresAt: claims.exp,
    ...(claims.due === undefined ? {} : { passwordDue: claims.due }),
  });
}

/**
 * Where to look for a token: a number made of its last characters, which are signature. A text as the key of the map
 * would be hashed whole on every request, which costs more than all the rest of this check.
 */
function placeOf(bearer: string): number {
  let place = 0;
  for (let index = bearer.length - 8; index < bearer.length; index += 1)
    place = (Math.imul(place, 131) + bearer.charCodeAt(index)) | 0;
  return place;
}
