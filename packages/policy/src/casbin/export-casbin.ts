// Exports rules to casbin's formats, as go-admin's model reads them. Importing an export gives equal rules.

import type { Rule } from '../parse-rule.ts';
import type { CasbinRow } from './import-casbin.ts';

/** Writes rules as a casbin policy file, one `p` line for each rule. Fields of a rule never need quotes. */
export function exportCasbinPolicy(rules: Iterable<Rule>): string {
  return Array.from(rules, ({ roleKey, path, method }) => `p, ${roleKey}, ${path}, ${method}\n`).join('');
}

/** Writes rules as rows for the table `casbin_rule`. */
export function exportCasbinRows(rules: Iterable<Rule>): CasbinRow[] {
  return Array.from(rules, ({ roleKey, path, method }) => ({
    ptype: 'p',
    v0: roleKey,
    v1: path,
    v2: method,
  }));
}
