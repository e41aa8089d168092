// Splits one line of a casbin policy file as casbin's own reader does: at commas, without the blanks around a
// field, and with quotes around a field that holds commas or quotes.

/** The fields of a line, or undefined when a quote is not closed or more text follows it. */
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
