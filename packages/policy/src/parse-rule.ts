// Rule parser: validates a rule against the grammar. It refuses an invalid rule with a reason, repairs nothing, and never
// builds a regular expression from a rule.
import { isMethod, methods, type RuleMethod } from './method.ts';
import { quote } from './quote.ts';
import { segmentsOf } from './rule-text.ts';

declare const parsed: unique symbol;

/** A rule that {@link parseRule} has accepted. Only that function creates rules. */
export interface Rule {
  readonly roleKey: string;
  readonly method: RuleMethod;
  readonly path: string;
  readonly [parsed]: true;
}

/** The three fields of a rule as they are stored or typed in, not yet checked. */
export interface RuleText {
  readonly roleKey: string;
  readonly method: string;
  readonly path: string;
}

/** The limits of a rule's path. They also bound the time of the costliest decision. */
export const ruleLimits = { pathLength: 256, segments: 12, literalLength: 64 } as const;

/**
 * Parses a rule. For an invalid rule, it returns one sentence with the reason and what to write instead.
 *
 * @example
 * const parsed = parseRule({ roleKey: 'editor', method: 'GET', path: '/articles/:id' });
 * if ('reason' in parsed) throw new Error(parsed.reason);
 * const snapshot = compile([parsed.rule], 1);
 */
export function parseRule({ roleKey, method, path }: RuleText): { rule: Rule } | { reason: string } {
  const reason = roleKeyReason(roleKey) ?? methodReason(method) ?? pathReason(path);
  if (reason !== undefined) return { reason };
  return { rule: Object.freeze({ roleKey, method, path }) as Rule };
}

function roleKeyReason(roleKey: string): string | undefined {
  if (/^[a-z][a-z0-9_-]{0,31}$/.test(roleKey)) return undefined;
  return `The role key ${quote(roleKey)} is refused: use 1 to 32 characters, a lowercase letter first, then lowercase letters, digits, "_" or "-".`;
}

function methodReason(method: string): string | undefined {
  if (method === '*' || isMethod(method)) return undefined;
  if (isMethod(method.toUpperCase())) return `Write the method ${quote(method)} in upper case.`;
  return `The method ${quote(method)} is not one that a rule can name: use ${methods.join(', ')}, or "*" for all of them.`;
}

function pathReason(path: string): string | undefined {
  if (!path.startsWith('/')) return `The path ${quote(path)} does not start with "/": put a "/" in front.`;
  if (path.length > ruleLimits.pathLength) {
    return `The path has ${path.length} characters: keep it within ${ruleLimits.pathLength}.`;
  }
  const segments = segmentsOf(path);
  if (segments.length > ruleLimits.segments) {
    return `The path has ${segments.length} segments: keep it within ${ruleLimits.segments}, or end it earlier with "*".`;
  }
  for (const [index, segment] of segments.entries()) {
    const reason = segmentReason(segment, index + 1, index === segments.length - 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function segmentReason(segment: string, place: number, last: boolean): string | undefined {
  if (segment === '') return emptyReason(place, last);
  if (segment.startsWith(':')) return parameterReason(segment, place);
  if (segment === '*') {
    return last
      ? undefined
      : `Segment ${place} is "*", which may only be the last segment: use ":name" here.`;
  }
  if (segment === '.' || segment === '..') {
    return `Segment ${place} is ${quote(segment)}, which no canonical path has: write the path that it leads to.`;
  }
  if (segment.length > ruleLimits.literalLength) {
    return `Segment ${place} has ${segment.length} characters: keep it within ${ruleLimits.literalLength}.`;
  }
  if (/^[A-Za-z0-9_~.-]+$/.test(segment)) return undefined;
  if (segment.includes('*')) {
    return `Segment ${place}, ${quote(segment)}, has "*" beside other characters: "*" must be the whole last segment.`;
  }
  return `Segment ${place}, ${quote(segment)}, is not plain text: use letters, digits, "_", "~", "." and "-" (a rule is not a regular expression).`;
}

function emptyReason(place: number, last: boolean): string {
  if (last) return 'The path ends with "/": leave it off, or end with "/*" for everything below.';
  return `Segment ${place} is empty: write one "/" between segments.`;
}

function parameterReason(segment: string, place: number): string | undefined {
  if (/^:[A-Za-z_][A-Za-z0-9_]*$/.test(segment)) return undefined;
  if (segment === ':') return `The parameter in segment ${place} has no name: write one, such as ":id".`;
  return `The parameter ${quote(segment)} in segment ${place} is refused: after ":" use letters, digits and "_", a letter or "_" first.`;
}
