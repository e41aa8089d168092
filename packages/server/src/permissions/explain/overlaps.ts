// Decides whether a rule and a declared path overlap: with parameters and `*`, each of them means many paths, and they
// overlap if they have one in common.

/** A pattern with its path split into segments once, because many patterns are compared with many. */
export interface SplitPattern {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
}

export function splitPattern({ method, path }: Pick<SplitPattern, 'method' | 'path'>): SplitPattern {
  return { method, path, segments: path.split('/') };
}

export function overlaps(rule: SplitPattern, route: SplitPattern): boolean {
  if (rule.method !== '*' && rule.method !== route.method) return false;
  const [allowed, called] = [rule.segments, route.segments];
  if (allowed.length < called.length && allowed.at(-1) !== '*') return false;
  if (allowed.length > called.length && called.at(-1) !== '*') return false;
  return allowed.every((segment, index) => index >= called.length || meets(segment, called[index] ?? ''));
}

const meets = (one: string, other: string) => one === other || isAny(one) || isAny(other);
const isAny = (segment: string) => segment === '*' || segment.startsWith(':');
