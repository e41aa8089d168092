// Whether a rule allows nothing that a role may not do already. It asks the engine itself, on paths that stand for all
// that the rule matches: what a rule matches it matches with any segment, also with one too long for any rule to name,
// so that only a rule which is as wide can allow such a path.
import { decide, methods, ruleLimits, type Snapshot } from '@portcullis/policy';

const unnameable = 'x'.repeat(ruleLimits.literalLength + 1);

/** Takes a rule that fits the grammar. */
export function isWithin(
  snapshot: Snapshot,
  roleKey: string,
  { method, path }: { readonly method: string; readonly path: string },
): boolean {
  const paths = representativePaths(path);
  const named = method === '*' ? methods : [method];
  return named.every((name) => paths.every((each) => decide(snapshot, roleKey, name, each) === 'allow'));
}

/** What allows all of these allows every path that the pattern matches. */
export function representativePaths(path: string): string[] {
  const segments = path.slice(1).split('/');
  const fixed = segments.map((segment) => (segment.startsWith(':') ? unnameable : segment));
  if (segments.at(-1) !== '*') return [pathOf(fixed)];
  // Longer than the longest rule: what allows that path ends with `*`, and allows all longer ones too.
  const lengths = Array.from({ length: ruleLimits.segments + 2 - segments.length }, (_, index) => index + 1);
  return lengths.map((length) => pathOf([...fixed.slice(0, -1), ...Array(length).fill(unnameable)]));
}

function pathOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}
