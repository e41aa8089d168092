// Import and export of rule files: JSON, CSV with a header, and casbin's `p, role, path, method`. Reading a file returns
// its rules, and every entry that is not a rule with its line and the reason.
import { exportCasbinPolicy } from './casbin/export-casbin.ts';
import { importCasbinPolicy } from './casbin/import-casbin.ts';
import { parseRule, type Rule, type RuleText } from './parse-rule.ts';

export const ruleFormats = ['json', 'csv', 'casbin'] as const;
export type RuleFormat = (typeof ruleFormats)[number];

export interface Remark {
  /** `line 7`, or `rule 7` of a JSON file. */
  readonly place: string;
  readonly reason: string;
}

export type FileRule = Pick<Rule, 'roleKey' | 'method' | 'path'>;

export interface RuleFile {
  readonly rules: readonly FileRule[];
  /** Entries that cannot be imported. */
  readonly rejected: readonly Remark[];
  /** Imported entries that allow less here than in casbin. */
  readonly narrowed: readonly Remark[];
}

const csvHeader = 'roleKey,method,path';

/** Leaves out stored rules that do not parse, which are not in force, and counts them in `leftOut`. */
export function writeRuleFile(
  stored: readonly RuleText[],
  format: RuleFormat,
): { readonly text: string; readonly leftOut: number } {
  const rules = stored.flatMap((text) => {
    const parsed = parseRule(text);
    return 'rule' in parsed ? [parsed.rule] : [];
  });
  return { text: write(rules, format), leftOut: stored.length - rules.length };
}

/** Why the text is not a valid rule; undefined if it is valid. */
export function findRuleProblem(text: RuleText): string | undefined {
  const parsed = parseRule(text);
  return 'reason' in parsed ? parsed.reason : undefined;
}

function write(rules: readonly Rule[], format: RuleFormat): string {
  const texts = rules.map(({ roleKey, method, path }) => ({ roleKey, method, path }));
  switch (format) {
    case 'json':
      // One rule on each line, so that a line-based diff of two files is possible.
      return `[${texts.map((rule) => `\n  ${JSON.stringify(rule)}`).join(',')}\n]\n`;
    case 'csv':
      // Fields of a rule never need quotes.
      return `${[csvHeader, ...texts.map((rule) => Object.values(rule).join(','))].join('\n')}\n`;
    case 'casbin':
      return exportCasbinPolicy(rules);
  }
}

export function readRuleFile(text: string, format: RuleFormat | undefined): RuleFile {
  const bare = text.replace(/^\uFEFF/, '');
  switch (format ?? findFormat(bare)) {
    case 'json':
      return readJson(bare);
    case 'csv':
      return readCsv(bare);
    case 'casbin': {
      const { rules, rejected, narrowed } = importCasbinPolicy(bare);
      const remarkOf = ({ line, reason }: { line: number; reason: string }) => ({
        place: `line ${line}`,
        reason,
      });
      return { rules, rejected: rejected.map(remarkOf), narrowed: narrowed.map(remarkOf) };
    }
  }
}

function findFormat(text: string): RuleFormat {
  if (/^\s*[[{]/.test(text)) return 'json';
  return text.trimStart().startsWith(csvHeader) ? 'csv' : 'casbin';
}

function readJson(text: string): RuleFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { rules: [], rejected: [{ place: 'the file', reason: (error as Error).message }], narrowed: [] };
  }
  if (!Array.isArray(value))
    return {
      rules: [],
      rejected: [{ place: 'the file', reason: 'It is not a list of rules.' }],
      narrowed: [],
    };
  return parseAll(
    value.map((entry: unknown, index) => ({ place: `rule ${index + 1}`, text: textOf(entry) })),
  );
}

function readCsv(text: string): RuleFile {
  const [header, ...lines] = text.split(/\r?\n/);
  if (header !== csvHeader)
    return {
      rules: [],
      rejected: [{ place: 'line 1', reason: `It is not the header ${csvHeader}.` }],
      narrowed: [],
    };
  const numbered = lines.map((line, index) => ({ line, place: `line ${index + 2}` }));
  return parseAll(
    numbered
      .filter(({ line }) => line.trim() !== '')
      .map(({ line, place }) => {
        const fields = line.split(',').map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
        const [roleKey = '', method = '', path = ''] = fields;
        return { place, text: fields.length === 3 ? { roleKey, method, path } : undefined };
      }),
  );
}

function textOf(entry: unknown): RuleText | undefined {
  const { roleKey, method, path } = (entry ?? {}) as Record<string, unknown>;
  if (typeof roleKey !== 'string' || typeof method !== 'string' || typeof path !== 'string') return undefined;
  return { roleKey, method, path };
}

function parseAll(entries: readonly { place: string; text: RuleText | undefined }[]): RuleFile {
  const rules: Rule[] = [];
  const rejected: Remark[] = [];
  for (const { place, text } of entries) {
    const parsed = text === undefined ? { reason: 'It needs roleKey, method and path.' } : parseRule(text);
    if ('rule' in parsed) rules.push(parsed.rule);
    else rejected.push({ place, reason: parsed.reason });
  }
  return { rules, rejected, narrowed: [] };
}
