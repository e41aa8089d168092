// Check of a new display name: rejects a word that mixes scripts, because it can imitate another name (homoglyphs). A name that
// is already stored stays valid.
import { AppError, hasWordsOfOneScript } from '@portcullis/contract';

/** @param before The stored name, if there is one: it is not checked again. */
export function checkName(name: string, before?: string): void {
  if (name !== before && !hasWordsOfOneScript(name)) throw new AppError('name_unclear');
}
