// People as CSV (RFC 4180). Spreadsheets take a cell for a formula by its first characters, whoever wrote them.
export interface CsvPerson {
  readonly username: string;
  readonly name: string;
  readonly departmentName: string;
  readonly roleKey: string;
  readonly roleName: string;
  readonly rule: { readonly method: string; readonly path: string } | null;
}

/** They take spaces and quotes before it for nothing, and full-width forms for the same. */
const formula = /^(?:[\t\r\n]|[\s\p{Cf}"'`]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;
/** Without it spreadsheets take UTF-8 for something else. */
const byteOrderMark = '\ufeff';
const header = ['username', 'name', 'department', 'roleKey', 'role', 'rule'];

export function writePeopleCsv(people: readonly CsvPerson[]): string {
  const rows = people.map(({ username, name, departmentName, roleKey, roleName, rule }) => [
    ...[username, name, departmentName, roleKey, roleName],
    rule === null ? '' : `${rule.method} ${rule.path}`,
  ]);
  return byteOrderMark + [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
