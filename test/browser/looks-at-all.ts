/**
 * Whether every look is taken at everything. Where every change is run, looks share the pages that are open: what is left
 * for the night stands here, and is printed.
 */
export const looksAtAll = process.env.CI !== 'true';
export const leftForTheNight =
  'axe on every row of a long list, and every page opened, not narrowed, at the width of a phone';
