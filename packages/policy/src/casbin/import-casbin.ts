// Imports the rules of a casbin policy: go-admin's `p, role, path, method`, from a file or from `casbin_rule`. It drops
// and repairs nothing: it rejects lines that are not rules, and lists rules that allow less here than in casbin.
import { csvFields } from '../csv-fields.ts';
import { parseRule, type Rule } from '../parse-rule.ts';
import { quote } from '../quote.ts';

/** A row of the table `casbin_rule`, as casbin's database adapters write it. */
export interface CasbinRow {
  readonly ptype: string;
  readonly v0?: string | null;
  readonly v1?: string | null;
  readonly v2?: string | null;
  readonly v3?: string | null;
  readonly v4?: string | null;
  readonly v5?: string | null;
}

/** A remark about one line of a policy file or one row of a table, counted from 1. */
export interface CasbinRemark {
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** The result of an import. Every line is in `rules` or in `rejected`, except comments and blank lines. */
export interface CasbinImport {
  readonly rules: readonly Rule[];
  /** Lines that are not imported, each with its reason. */
  readonly rejected: readonly CasbinRemark[];
  /** Imported lines that allow less here than in casbin, each with what it no longer allows. */
  readonly narrowed: readonly CasbinRemark[];
}

/**
 * Reads a casbin policy file.
 *
 * @example
 * const { rules, rejected } = importCasbinPolicy('p, editor, /articles/:id, GET\ng, ann, editor\n');
 * // one rule; line 2 is rejected, because role inheritance has no counterpart
 */
export function importCasbinPolicy(text: string): CasbinImport {
  const lines = text.split('\n').map((line, index) => ({ line: index + 1, text: line.trim() }));
  const meant = lines.filter((line) => line.text !== '' && !line.text.startsWith('#'));
  return importLines(meant.map((line) => ({ ...line, fields: csvFields(line.text) })));
}

/** Reads the rows of a `casbin_rule` table. The line of a remark is the number of the row, from 1. */
export function importCasbinRows(rows: Iterable<CasbinRow>): CasbinImport {
  const lines = Array.from(rows, ({ ptype, v0, v1, v2, v3, v4, v5 }, index) => {
    const values = [v0, v1, v2, v3, v4, v5].map((value) => value ?? '');
    while (values.at(-1) === '') values.pop();
    const fields = [ptype, ...values];
    return { line: index + 1, text: fields.join(', '), fields };
  });
  return importLines(lines);
}

interface Line {
  readonly line: number;
  readonly text: string;
  /** Undefined if the line cannot be split. */
  readonly fields: readonly string[] | undefined;
}

function importLines(lines: readonly Line[]): CasbinImport {
  const rules: Rule[] = [];
  const rejected: CasbinRemark[] = [];
  const narrowed: CasbinRemark[] = [];
  for (const { line, text, fields } of lines) {
    const result = readFields(fields);
    if ('reason' in result) {
      rejected.push({ line, text, reason: result.reason });
    } else {
      rules.push(result.rule);
      for (const reason of narrowings(result.rule)) narrowed.push({ line, text, reason });
    }
  }
  return { rules, rejected, narrowed };
}

function readFields(fields: readonly string[] | undefined): { rule: Rule } | { reason: string } {
  if (fields === undefined)
    return { reason: 'A quote is not closed before the comma: close it, or leave it out.' };
  const [kind, roleKey = '', path = '', method = ''] = fields;
  if (kind === 'g') return { reason: 'Roles do not inherit here ("g"): give each role its own rules.' };
  if (kind !== 'p') return { reason: 'Only lines that start with "p" are rules.' };
  if (fields.length === 4) return parseRule({ roleKey, method, path });
  return {
    reason: `After "p" stand ${fields.length - 1} fields: write the role key, the path and the method.`,
  };
}

function narrowings({ path, method }: Rule): string[] {
  const below = quote(path.slice(0, -1));
  const reasons: string[] = [];
  if (path.includes('.')) reasons.push('casbin reads "." as any character; here it is a dot.');
  if (path.endsWith('*')) reasons.push(`casbin also allows ${below}; here "*" is at least one segment.`);
  if (method === '*') reasons.push('casbin allows any word as a method; here "*" is the seven methods.');
  return reasons;
}
