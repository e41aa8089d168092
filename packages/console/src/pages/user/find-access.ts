// Filters and sorts the endpoints of a user: matches of the search, allowed ones first.

export interface AccessRoute {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly title: string;
  readonly by: 'public' | 'identity' | 'admin' | 'excluded' | 'rule';
  readonly rules: readonly { readonly method: string; readonly path: string }[];
}

const order = ['rule', 'admin', 'excluded', 'identity', 'public'] as const;

/** Every word must match, ignoring case; a rule matches as it is written. */
export function findAccess<Route extends AccessRoute>(routes: readonly Route[], search: string): Route[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (route: Route) => {
    const text = textOf(route).toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return routes.filter(fits).toSorted((one, other) => order.indexOf(one.by) - order.indexOf(other.by));
}

function textOf({ service, method, path, title, rules }: AccessRoute): string {
  return [service, method, path, title, ...rules.map((rule) => `${rule.method} ${rule.path}`)].join(' ');
}
