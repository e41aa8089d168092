// CSV parser for one line of a casbin policy file, compatible with casbin's own reader: fields end at commas, blanks
// around a field are dropped, and a field that contains commas or quotes is quoted.

/** Returns the fields of a line, or undefined if a quote is not closed or text follows a closing quote. */
export function csvFields(line: string): string[] | undefined {
  const fields: string[] = [];
  let field = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  for (const character of `${line},`) {
    const blank = character === ' ' || character === '\t' || character === '\r';
    if (state === 'quoted') {
      if (character === '"') state = 'closed';
      else field += character;
    } else if (character === ',') {
      fields.push(state === 'closed' ? field : field.trimEnd());
      field = '';
      state = 'start';
    } else if (state === 'closed') {
      if (character === '"') {
        state = 'quoted';
        field += '"';
      } else if (!blank) return undefined;
    } else if (state === 'plain' || (character !== '"' && !blank)) {
      state = 'plain';
      field += character;
    } else if (character === '"') state = 'quoted';
  }
  return state === 'start' ? fields : undefined;
}
