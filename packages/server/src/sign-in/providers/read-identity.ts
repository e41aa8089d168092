// What is read of a person whom a provider describes, whatever it is written in.

/** No subject, session or tenant is longer. */
export const longestId = 255;
const longestName = 64;
const mostGroups = 2000;
/** A mapping names at most 512 characters, each of which takes at most two units of a text. */
const longestGroup = 2 * 512;

/** For people to read: nothing invisible. */
export function readShownName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const visible = name.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
  return visible.trim().slice(0, longestName).toWellFormed();
}

/** Undefined where it is no list of texts, or longer than what is read. No mapping names a group that is longer than those that are kept. */
export function readGroups(groups: unknown): string[] | undefined {
  if (!Array.isArray(groups) || groups.length > mostGroups) return undefined;
  const texts = groups.filter((group) => typeof group === 'string');
  return texts.length < groups.length ? undefined : texts.filter(({ length }) => length <= longestGroup);
}
