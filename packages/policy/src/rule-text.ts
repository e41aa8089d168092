// How the texts of rules and paths are read: what identifies a rule, and the segments of a path.

/** What identifies a rule within its role. */
export function ruleText({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}

/** Of a text that identifies a rule. */
export function splitRuleText(text: string): { readonly method: string; readonly path: string } {
  const space = text.indexOf(' ');
  return { method: text.slice(0, space), path: text.slice(space + 1) };
}

/** The segments of a path. "/" has none. */
export function segmentsOf(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/');
}
