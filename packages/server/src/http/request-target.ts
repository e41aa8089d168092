// The gate before the router: a request target is served as it was sent or not at all. Nothing is normalised,
// because two parts that normalise differently decide about two different paths.

const maxTargetLength = 8192;
// Origin form: segments of unreserved characters, then any visible ASCII but `#` as the query.
const canonicalTarget = /^(?:\/[A-Za-z0-9_~.-]{1,64})+(?:\?[!"$-~]*)?$/;
const dotSegment = /^[^?]*\/\.{1,2}(?:[/?]|$)/;

export function isCanonicalTarget(target: string): boolean {
  return target.length <= maxTargetLength && canonicalTarget.test(target) && !dotSegment.test(target);
}
