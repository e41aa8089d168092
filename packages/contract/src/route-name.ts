/** `METHOD /path`: the name of a route, or of a rule for it, in settings, logs and lists. */
export function routeName({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}
