// Who somebody is in a directory, whatever the name becomes: the id that the directory gave the entry and never gives again.
import type { Dialect } from './directory-settings.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** As Active Directory stores them: of the first three parts the bytes come backwards. */
const guidOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

/** Undefined where it is none. */
export function parseSubject(dialect: Dialect, value: Buffer | string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (dialect === 'ldap') {
    const text = value.toString().toLowerCase();
    return uuid.test(text) ? text : undefined;
  }
  const bytes = Buffer.from(value as string);
  if (bytes.length !== guidOrder.length) return undefined;
  const hex = Buffer.from(guidOrder.map((at) => bytes[at] ?? 0)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** As a filter compares it; undefined where it is none. */
export function subjectValue(dialect: Dialect, subject: string): Buffer | string | undefined {
  if (!uuid.test(subject)) return undefined;
  if (dialect === 'ldap') return subject;
  const bytes = Buffer.from(subject.replaceAll('-', ''), 'hex');
  return Buffer.from(guidOrder.map((at) => bytes[at] ?? 0));
}
