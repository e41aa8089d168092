// Reads the display name and the groups of a person from the answer of any kind of provider, with length limits.

/** The greatest length of a subject, a session id and a tenant. */
export const longestId = 255;
const longestName = 64;
const mostGroups = 2000;
/** A mapping names a group of at most 512 characters, each of at most two UTF-16 code units. */
const longestGroup = 2 * 512;

/** The name for display, without invisible characters. */
export function readShownName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const visible = name.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
  return visible.trim().slice(0, longestName).toWellFormed();
}

/** Undefined when it is not a list of texts, or the list is too long. A group with too long a name is left out: no mapping can name it. */
export function readGroups(groups: unknown): string[] | undefined {
  if (!Array.isArray(groups) || groups.length > mostGroups) return undefined;
  const texts = groups.filter((group) => typeof group === 'string');
  return texts.length < groups.length ? undefined : texts.filter(({ length }) => length <= longestGroup);
}
