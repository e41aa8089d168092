// Text forms: `METHOD /path`, which identifies a rule within its role, and the segments of a path.

/** The text that identifies a rule within its role. */
export function ruleText({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}

/** Splits the text of `ruleText` into method and path. */
export function splitRuleText(text: string): { readonly method: string; readonly path: string } {
  const space = text.indexOf(' ');
  return { method: text.slice(0, space), path: text.slice(space + 1) };
}

/** The segments of a path. "/" has none. */
export function segmentsOf(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/');
}
