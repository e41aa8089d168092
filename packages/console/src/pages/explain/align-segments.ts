// Aligns a rule and a request segment by segment, and marks the differences, which the service found.
import type { Call, Explained } from './question.ts';

export type Difference = Explained['nearest'][number]['differs'][number];

export interface Part {
  /** `missing`: only the rule has it. `extra`: only the request has it. */
  readonly kind: 'same' | 'segment' | 'missing' | 'extra';
  readonly expected: string | undefined;
  readonly actual: string | undefined;
}

export function alignSegments(rule: Call, asked: Call, differs: readonly Difference[]): Part[] {
  const [expected, actual] = [segmentsOf(rule.path), segmentsOf(asked.path)];
  const isOpen = expected.at(-1) === '*' && actual.length > expected.length;
  // The trailing star matches the whole rest of the path.
  const rest = isOpen ? actual.splice(expected.length - 1).join('/') : undefined;
  if (rest !== undefined) actual.push(rest);
  return Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) => {
    const difference = differs.find(({ place }) => place === index + 1);
    const kind = difference === undefined || difference.kind === 'method' ? 'same' : difference.kind;
    return { kind, expected: expected[index], actual: actual[index] };
  });
}

function segmentsOf(path: string): string[] {
  return path.replace(/^\//, '').split('/');
}
