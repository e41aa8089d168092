// A name that people read: of a role, of a department. Nothing invisible, and no space at an end.
import { Type } from 'typebox';

export const displayNamePattern = '^(?! )[^\\p{C}\\p{Zl}\\p{Zp}]{1,64}(?<! )$';

export const DisplayName = Type.String({ pattern: displayNamePattern });
