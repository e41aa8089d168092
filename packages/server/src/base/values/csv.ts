// Records as CSV (RFC 4180), escaped against CSV injection: a spreadsheet takes a cell for a formula by its first characters.

/**
 * Where a formula can begin: at the start of a cell, and after a character at which a spreadsheet splits it, which is a semicolon
 * where that is the list separator of the system. Spaces and quotes before it are skipped, and full-width forms are read as plain.
 */
const formulaStart =
  /(?<=^|[;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cf}"'`])*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/gu;

/** Without it spreadsheets take UTF-8 for something else. */
export const byteOrderMark = '\ufeff';

export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  const safe = text.replace(formulaStart, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
