/** `METHOD /path`: how a route, or a rule for it, is named in settings, logs and lists. */
export function routeName({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}
