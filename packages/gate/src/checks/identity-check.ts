// Identity check (authentication): determines the caller from a token that Portcullis signed, that has not expired and
// that is not revoked. Everything that can change after a token was issued is read from memory, and read again after
// every change of memory. Verified tokens are cached.
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

/** The rate limit for requests without a valid token. Optional: without it, there is no limit. */
export interface UnauthenticatedLimit<T> {
  /** Runs the verification if the limit allows one more, and counts a verification that fails. */
  verify<V>(request: T, verification: () => Promise<V>): Promise<V>;
  /** Counts a request without a valid token; throws when the limit is reached. */
  anonymous(request: T): void;
}

interface IdentityCheckOptions {
  readonly verify: VerifyToken;
  readonly keys: Pick<VerifyingKeys, 'find'>;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly findRole: (id: number) => { readonly roleKey: string; readonly dataScope: string } | undefined;
  /** Its generation grows with every change of a key, a revocation or a role. */
  readonly changes: { readonly generation: number };
  readonly now: () => number;
}

/** A cached verified token. It holds the whole text, so that a different text with the same cache key does not match. */
interface Known extends VerifiedToken {
  readonly bearer: string;
  readonly caller: Caller;
  /** The last generation in which the token was valid. */
  validAt: number | undefined;
}

/** The size of the cache. An evicted token is verified again. */
const cachedTokens = 100_000;

export function createIdentityCheck(options: IdentityCheckOptions) {
  const cache = createBoundedMap<number, Known>(cachedTokens);
  const { verify, keys, revocations, findRole, changes, now } = options;

  function isStillValid({ kid, claims }: Known): boolean {
    const role = findRole(claims.roleid);
    return (
      keys.find(kid) !== undefined &&
      revocations.isRevoked(claims) === false &&
      role?.roleKey === claims.rolekey &&
      role.dataScope === claims.datascope
    );
  }

  function admit(request: Identifiable, known: Known): void {
    if (!(known.caller.expiresAt * 1000 > now())) throw new AppError('token_expired');
    const current = changes.generation;
    if (known.validAt !== current) {
      if (!isStillValid(known)) throw new AppError('token_revoked');
      known.validAt = current;
    }
    request.caller = known.caller;
  }

  async function verifyText(bearer: string): Promise<Known> {
    const verified = await verify(bearer.slice(scheme.length));
    const known = { ...verified, bearer, caller: callerOf(verified), validAt: undefined };
    cache.set(cacheKeyOf(bearer), known);
    return known;
  }

  async function verifyAndAdmit<T extends Identifiable>(
    request: T,
    bearer: string,
    unauthenticatedLimit: UnauthenticatedLimit<T> | undefined,
  ): Promise<void> {
    const verification = () => verifyText(bearer);
    const known = await (unauthenticatedLimit === undefined
      ? verification()
      : unauthenticatedLimit.verify(request, verification));
    try {
      admit(request, known);
    } catch (error) {
      unauthenticatedLimit?.anonymous(request);
      throw error;
    }
  }

  /** Returns without a promise when the token is in the cache, as for nearly every request. */
  return function identityCheck<T extends Identifiable>(
    request: T,
    unauthenticatedLimit?: UnauthenticatedLimit<T>,
  ): void | Promise<void> {
    let bearer: string;
    try {
      bearer = readBearer(request.carriers);
      const known = cache.get(cacheKeyOf(bearer));
      if (known?.bearer === bearer) return admit(request, known);
    } catch (error) {
      // The request counts as unauthenticated: the user that the token was issued to must not pay for it.
      unauthenticatedLimit?.anonymous(request);
      throw error;
    }
    return verifyAndAdmit(request, bearer, unauthenticatedLimit);
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
 * A number made of the token's last characters, which are signature. With the text as the key, the map would hash the
 * whole text on every request, which costs more than the rest of this check.
 */
function cacheKeyOf(bearer: string): number {
  let key = 0;
  for (let index = bearer.length - 8; index < bearer.length; index += 1)
    key = (Math.imul(key, 131) + bearer.charCodeAt(index)) | 0;
  return key;
}
