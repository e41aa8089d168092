// Refuses a new display name that can be taken for another one. What is stored already stays: nobody is renamed.
import { AppError, hasWordsOfOneScript } from '@portcullis/contract';

/** @param before The name that is stored, if there is one. */
export function checkName(name: string, before?: string): void {
  if (name !== before && !hasWordsOfOneScript(name)) throw new AppError('name_unclear');
}
