// Privilege check: whether a rule grants nothing beyond what a role can already call. It asks the policy engine about
// representative paths of the rule. A parameter matches any segment, also one too long for any rule to name, so only a rule that
// is at least as wide can allow such a path.
import { decide, methods, ruleLimits, type Snapshot } from '@portcullis/policy';

const unnameable = 'x'.repeat(ruleLimits.literalLength + 1);

/** Expects a rule that fits the grammar. */
export function isWithin(
  snapshot: Snapshot,
  roleKey: string,
  { method, path }: { readonly method: string; readonly path: string },
): boolean {
  const paths = representativePaths(path);
  const named = method === '*' ? methods : [method];
  return named.every((name) => paths.every((each) => decide(snapshot, roleKey, name, each) === 'allow'));
}

/** Rules that allow all these paths allow every path that the pattern matches. */
export function representativePaths(path: string): string[] {
  const segments = path.slice(1).split('/');
  const fixed = segments.map((segment) => (segment.startsWith(':') ? unnameable : segment));
  if (segments.at(-1) !== '*') return [pathOf(fixed)];
  // The last path is longer than the longest rule: only a rule that ends with `*` allows it, and that rule allows all longer
  // paths too.
  const lengths = Array.from({ length: ruleLimits.segments + 2 - segments.length }, (_, index) => index + 1);
  return lengths.map((length) => pathOf([...fixed.slice(0, -1), ...Array(length).fill(unnameable)]));
}

function pathOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}
