// Finds the declared endpoint of a path with the router's priority: a literal segment before a parameter.
interface Declared {
  readonly method: string;
  readonly path: string;
}

export function findEndpoint<E extends Declared>(
  endpoints: readonly E[],
  method: string,
  path: string,
): E | undefined {
  const segments = path.split('/');
  return endpoints
    .filter((endpoint) => endpoint.method === method && fits(endpoint.path.split('/'), segments))
    .sort((a, b) => (breadth(a.path) < breadth(b.path) ? -1 : 1))
    .at(0);
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

function breadth(path: string): string {
  return path
    .split('/')
    .map((part) => (part.startsWith(':') ? 'b' : 'a'))
    .join('');
}
