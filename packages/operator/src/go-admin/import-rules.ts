// Imports the rules of the roles that this import created, and of existing roles only if the operator asks for it. The
// rules of each role are one change with a history entry and an audit record, as if an administrator had added them.
import { listedRulesLimit, routeName } from '@portcullis/contract';
import type { RuleChange } from '@portcullis/gate';
import type { CasbinRow } from '@portcullis/policy';
import { insertHistory } from '@portcullis/server/permissions/rules/rule-history-store.ts';
import {
  changeRules,
  lockRole,
  type RuleOfRole,
  readRulesOfRole,
} from '@portcullis/server/permissions/rules/rule-store.ts';
import type { ImportedRole, RenameRole } from './import-roles.ts';
import { createTally, type ImportWork, type Tally } from './import-work.ts';
import { type RuleTable, readRules } from './source-tables.ts';
import { translateRule } from './translate-rule.ts';

interface RuleOptions {
  readonly table: RuleTable;
  readonly roles: Iterable<ImportedRole>;
  readonly rename: RenameRole;
  /** Whether roles that existed before get the rules that they lack. */
  readonly addsToRoles: boolean;
}

interface Wanted {
  readonly rule: RuleOfRole;
  readonly what: string;
  /** What the rule allows in go-admin and not here; reported only if the rule is imported. */
  readonly narrowed: readonly string[];
}

/** The rules of one role, by method and path. */
type WantedRules = Map<string, Wanted>;

export async function importRules(
  work: ImportWork,
  options: RuleOptions,
): Promise<{ tally: Tally; changes: RuleChange[] }> {
  const { transaction, findings } = work;
  const tally = createTally();
  const roles = new Map(Array.from(options.roles, (role) => [role.roleKey, role]));
  const wanted = new Map<string, WantedRules>();

  for await (const page of readRules(work.source, options.table)) {
    for (const row of page) take({ ...row, v0: options.rename(row.v0 ?? '') }, textOf(row));
    tally.read += page.length;
    work.onProgress(`${tally.read.toLocaleString('en')} rules`);
  }
  const changes: RuleChange[] = [];
  for (const [roleKey, rules] of wanted) {
    const role = roles.get(roleKey);
    if (role === undefined) continue;
    const missing = role.isNew ? rules : await withoutStored(role, rules);
    tally.thereAlready += rules.size - missing.size;
    if (role.isNew || options.addsToRoles) changes.push(...(await add(role, missing)));
    else for (const { what } of missing.values()) findings.add('rule_role_there', what);
    work.onProgress(`Rules of ${roleKey}`);
  }
  tally.imported = changes.length;
  tally.leftOut = findings.countLeftOut('rules');
  return { tally, changes };

  function take(row: CasbinRow, what: string): void {
    const roleKey = row.v0 ?? '';
    const isRule = row.ptype === 'p';
    if (isRule && roleKey === 'admin') {
      tally.notNeeded += 1;
      return;
    }
    if (isRule && !roles.has(roleKey)) {
      findings.add('rule_role_missing', what);
      return;
    }
    const translated = translateRule(row);
    if ('reason' in translated) {
      findings.add('rule_unfit', what, translated.reason);
      return;
    }
    const rules: WantedRules = wanted.get(roleKey) ?? new Map();
    wanted.set(roleKey, rules);
    const { method, path } = translated.rule;
    const rule = { method, path };
    if (rules.has(routeName(rule))) tally.notNeeded += 1;
    else rules.set(routeName(rule), { rule, what, narrowed: translated.narrowed });
  }

  async function withoutStored({ id }: ImportedRole, rules: WantedRules): Promise<WantedRules> {
    const stored = new Set((await readRulesOfRole(transaction, id)).map(routeName));
    return new Map([...rules].filter(([name]) => !stored.has(name)));
  }

  async function add({ id }: ImportedRole, rules: WantedRules): Promise<RuleChange[]> {
    if (rules.size === 0) return [];
    for (const { what, narrowed } of rules.values())
      if (narrowed.length > 0) findings.add('rule_narrowed', what, narrowed.join(' '));
    const role = await lockRole(transaction, id);
    const added = [...rules.values()].map(({ rule }) => rule);
    const made = await changeRules(transaction, role, { add: added, remove: [] });
    const { caller } = work.call;
    await insertHistory(transaction, { roleId: id, caller, changes: made, rolledBackTo: null });
    await work.recordChange(transaction, work.call, {
      action: 'rules.update',
      target: `role ${id}`,
      before: { removed: { count: 0, items: [] } },
      after: { added: { count: made.length, items: added.slice(0, listedRulesLimit) } },
    });
    return made;
  }
}

function textOf({ ptype, v0, v1, v2 }: CasbinRow): string {
  return [ptype, v0, v1, v2].map((value) => value ?? '').join(', ');
}
