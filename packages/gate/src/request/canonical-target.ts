// Path validation before the router and the authorization: rejects every request path that is not in canonical form. No path is
// normalized, because two components that normalize differently would decide about two different paths.
import { AppError } from '@portcullis/contract';

const maxTargetLength = 8192;
// Origin form: segments of unreserved characters but no dot segments, then any visible ASCII but `#` as the query.
const canonicalTarget = /^(?:\/(?!\.\.?(?:[/?]|$))[A-Za-z0-9_~.-]{1,64})+(?:\?[!"$-~]*)?$/;

export function isCanonicalTarget(target: string): boolean {
  return target.length <= maxTargetLength && canonicalTarget.test(target);
}

/** Methods are case-sensitive (RFC 9110, 9.1), but not every service behind a gateway or a guard treats them so. */
const canonicalMethod = /^[A-Z][A-Z-]{0,31}$/;

/** Rejects a request that a gateway and the service behind it could interpret differently. Runs before the decision. */
export function canonicalCheck({
  method,
  target,
}: {
  readonly method: string;
  readonly target: string;
}): void {
  if (!canonicalMethod.test(method) || !isCanonicalTarget(target)) throw new AppError('route_not_found');
}
