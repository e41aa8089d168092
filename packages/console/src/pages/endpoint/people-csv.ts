// Writes users as CSV (RFC 4180), escaped against CSV injection like the exports of the service.
export interface CsvPerson {
  readonly username: string;
  readonly name: string;
  readonly departmentName: string;
  readonly roleKey: string;
  readonly roleName: string;
  readonly rule: { readonly method: string; readonly path: string } | null;
}

/** At the start of a cell, and after a character at which a spreadsheet splits it. */
const formulaStart =
  /(?<=^|[;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cf}"'`])*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/gu;
/** Without it, spreadsheets do not read the file as UTF-8. */
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
  const safe = text.replace(formulaStart, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
