// Converts the id of an entry (`entryUUID`, `objectGUID`) to a subject and back. The directory never reuses the id, so the
// subject stays the same when the name of the person changes.
import type { Dialect } from './directory-settings.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The byte order of Active Directory: the bytes of the first three parts are reversed. */
const guidOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

/** Undefined for a value that is not an id. */
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

/** The value for a search filter; undefined for a subject that is not an id. */
export function subjectValue(dialect: Dialect, subject: string): Buffer | string | undefined {
  if (!uuid.test(subject)) return undefined;
  if (dialect === 'ldap') return subject;
  const bytes = Buffer.from(subject.replaceAll('-', ''), 'hex');
  return Buffer.from(guidOrder.map((at) => bytes[at] ?? 0));
}
