// Parses a rule typed in one line: `GET /api/v1/orders/:id`. It reports errors while the user
// types; the service decides.
import type { Rule } from '../matrix/draft.ts';

export type RuleProblem = 'method' | 'path' | 'segment' | 'wildcard';
export type TypedRule = { readonly rule: Rule } | { readonly problem: RuleProblem };

const methods = ['*', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

export function readTypedRule(text: string): TypedRule {
  const [first = '', path = '', ...rest] = text.trim().split(/\s+/);
  const method = first.toUpperCase();
  if (!methods.includes(method)) return { problem: 'method' };
  if (!/^\/./.test(path) || rest.length > 0) return { problem: 'path' };
  const segments = path.slice(1).split('/');
  if (segments.slice(0, -1).some((segment) => segment.includes('*'))) return { problem: 'wildcard' };
  if (!segments.every((segment) => /^(\*|:[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9_~.-]+)$/.test(segment)))
    return { problem: 'segment' };
  return { rule: { method, path } };
}
