// What is read of a person whom a provider describes, whatever it is written in.

/** No subject, session or tenant is longer. */
export const longestId = 255;
const longestName = 64;
const mostGroups = 2000;
const longestGroup = 512;

/** For people to read: nothing invisible. */
export function readShownName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const visible = name.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
  return visible.trim().slice(0, longestName).toWellFormed();
}

/** Undefined where it is no list, or more than anybody is in. */
export function readGroups(groups: unknown): string[] | undefined {
  if (!Array.isArray(groups) || groups.length > mostGroups) return undefined;
  return groups.filter((group): group is string => typeof group === 'string' && group.length <= longestGroup);
}
