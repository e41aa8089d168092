// Records as CSV (RFC 4180). Spreadsheets take a cell for a formula by its first characters, whoever wrote them.

/** They take spaces and quotes before it for nothing, and full-width forms for the same. */
const formula = /^(?:[\t\r\n]|[\s\p{Cf}"'`]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/** Without it spreadsheets take UTF-8 for something else. */
export const byteOrderMark = '\ufeff';

export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
