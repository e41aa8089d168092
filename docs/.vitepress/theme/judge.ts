// The pure part of the playground: what the rules say about one request, and all of it as the hash of an address.
import { compile, type Explanation, explain, parseRule, type Remark, readRuleFile } from '@portcullis/policy';

/** What somebody has typed in, and what a shared address holds. */
export interface Question {
  readonly rules: string;
  readonly role: string;
  readonly method: string;
  readonly path: string;
}

export interface Verdict {
  readonly explanation: Explanation;
  readonly ruleCount: number;
  /** Roles that have rules, to choose from. */
  readonly roles: readonly string[];
  /** Lines that are no rules. They allow nothing. */
  readonly rejected: readonly Remark[];
  /** Lines that allow less here than in casbin. */
  readonly narrowed: readonly Remark[];
}

export const example: Question = {
  rules: [
    '# role, path, method',
    'p, clerk, /api/v1/orders, GET',
    'p, clerk, /api/v1/orders/:id, GET',
    'p, manager, /api/v1/orders/*, *',
    'p, auditor, /api/v1/loginlog, GET',
    '',
  ].join('\n'),
  role: 'clerk',
  method: 'DELETE',
  path: '/api/v1/orders/1042',
};

export function judge({ rules, role, method, path }: Question): Verdict {
  const file = readRuleFile(rules, undefined);
  const parsed = file.rules.map(parseRule).flatMap((result) => ('rule' in result ? [result.rule] : []));
  return {
    explanation: explain(compile(parsed, 0), { roleKey: role, method, path }),
    ruleCount: parsed.length,
    roles: [...new Set(parsed.map(({ roleKey }) => roleKey))].sort(),
    rejected: file.rejected,
    narrowed: file.narrowed,
  };
}

export function writeHash(question: Question): string {
  return `#${new URLSearchParams({ ...question })}`;
}

/** What the address does not say is empty, so that nothing of the example mixes with it; without any of it, undefined. */
export function readHash(hash: string): Question | undefined {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const names = ['rules', 'role', 'method', 'path'] as const;
  if (!names.some((name) => given.has(name))) return undefined;
  const [rules, role, method, path] = names.map((name) => given.get(name) ?? '');
  return { rules: rules ?? '', role: role ?? '', method: method ?? '', path: path ?? '' };
}
