// CSV output (RFC 4180), escaped against CSV injection: a spreadsheet runs a cell as a formula depending on its first characters.

/**
 * Positions where a spreadsheet can begin a formula: the start of a cell, and after a character at which it splits the cell. Where
 * the semicolon is the list separator of the system, that is such a character. Spreadsheets skip spaces and quotes before the
 * formula, and read full-width forms as plain ones.
 */
const formulaStart =
  /(?<=^|[;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cf}"'`])*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/gu;

/** Without the byte order mark spreadsheets do not read the file as UTF-8. */
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
