// The import from go-admin: departments, roles, users, rules and menus, in one transaction and one revision: all or nothing. It
// only adds: existing records stay unchanged, so a second run creates no duplicates. Menus are a copy that every import
// replaces.

import type { AccessWriter } from '@portcullis/server/cluster/access-writer.ts';
import type { StoreTransaction } from '@portcullis/server/cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '@portcullis/server/logs/audit/record-change.ts';
import { createFindings, type Finding } from './findings.ts';
import { importDepartments } from './import-departments.ts';
import { importMenus } from './import-menus.ts';
import { importRoles } from './import-roles.ts';
import { importRules } from './import-rules.ts';
import { allowWaiting, hasAdministrator } from './import-store.ts';
import { importUsers } from './import-users.ts';
import type { ImportWork, Tally } from './import-work.ts';
import type { Source } from './source.ts';
import { findRuleTable, type RuleTable } from './source-tables.ts';

interface ImportOptions extends Pick<ImportWork, 'source' | 'recordChange' | 'call' | 'onProgress'> {
  readonly access: Pick<AccessWriter, 'give'>;
  readonly isDryRun: boolean;
  /** New role keys, by go-admin's role keys. */
  readonly roleKeys: ReadonlyMap<string, string>;
  /** Whether roles that existed before get the rules that they lack. */
  readonly addsToRoles: boolean;
  readonly rulesTable: RuleTable | undefined;
}

export interface ImportReport {
  readonly isDryRun: boolean;
  readonly source: { readonly kind: Source['kind']; readonly rulesTable: RuleTable };
  readonly departments: Readonly<Tally>;
  readonly roles: Readonly<Tally>;
  readonly users: Readonly<Tally>;
  readonly rules: Readonly<Tally>;
  readonly menus: Readonly<Tally>;
  /** Whether an enabled user has the role `admin` after the import. */
  readonly hasAdministrator: boolean;
  readonly findings: readonly Finding[];
  /** The revision that contains the import; null for a dry run. */
  readonly revision: number | null;
}

export async function importGoAdmin({ access, ...options }: ImportOptions): Promise<ImportReport> {
  let report: Omit<ImportReport, 'revision'> | undefined;
  try {
    const revision = await access.give(options.call, async (transaction) => {
      const done = await importInto(transaction, options);
      report = done.report;
      if (options.isDryRun) throw new DryRunEnd();
      return done.changes;
    });
    return { ...reportOf(report), revision };
  } catch (error) {
    if (error instanceof DryRunEnd) return { ...reportOf(report), revision: null };
    throw error;
  }
}

/** Thrown to roll back the transaction of a dry run. */
class DryRunEnd extends Error {}

function reportOf<Report>(report: Report | undefined): Report {
  if (report === undefined) throw new Error('The import ended without a report.');
  return report;
}

async function importInto(transaction: StoreTransaction, options: Omit<ImportOptions, 'access'>) {
  const { source, isDryRun, roleKeys } = options;
  const findings = createFindings();
  const work: ImportWork = { ...options, transaction, findings };
  const rename = (key: string) => roleKeys.get(key) ?? key;
  await allowWaiting(transaction);
  const rulesTable = await findRuleTable(source, options.rulesTable);

  const departments = await importDepartments(work);
  const roles = await importRoles(work, departments.ids, rename);
  const users = await importUsers(work, { departments: departments.ids, roles });
  const menus = await importMenus(work, roles);
  // Rules are last: from the first history entry on, every other change of access waits for this transaction.
  const rules = await importRules(work, {
    table: rulesTable,
    roles: roles.byId.values(),
    rename,
    addsToRoles: options.addsToRoles,
  });
  const counts = {
    departments: departments.tally,
    roles: roles.tally,
    users: users.tally,
    rules: rules.tally,
    menus: menus.tally,
  };
  const { firstId, lastId } = users;
  if (menus.isChanged || Object.values(counts).some(({ imported }) => imported > 0))
    await recordImport(options, transaction, { ...counts, userIds: { firstId, lastId } });
  const report = {
    isDryRun,
    source: { kind: source.kind, rulesTable },
    ...counts,
    hasAdministrator: await hasAdministrator(transaction),
    findings: findings.list(),
  };
  return { report, changes: [...roles.changes, ...rules.changes] };
}

/** One audit record for all departments and users; roles and rules have records of their own. */
async function recordImport(
  { recordChange, call }: { readonly recordChange: RecordChange; readonly call: AuditedCall },
  transaction: StoreTransaction,
  after: unknown,
): Promise<void> {
  await recordChange(transaction, call, {
    action: 'import.go-admin',
    target: 'go-admin',
    before: null,
    after,
  });
}
