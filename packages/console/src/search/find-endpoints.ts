// The endpoints that somebody looks for: by a call as it is made (`DELETE /orders/1042`), or by words of method, path and title.
import { readCall } from '../pages/explain/question.ts';
import { hasWords } from './has-words.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly title: string;
}

/** Those that the call reaches come first, the most exact of them before the others. */
export function findEndpoints<R extends Route>(routes: readonly R[], typed: string, limit: number): R[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const called = typed.includes('/') ? findCalled(routes, typed) : [];
  const named = routes.filter(({ method, path, title }) => {
    const text = `${method} ${path} ${title}`;
    return words.every((word) =>
      word.includes('/') ? path.toLowerCase().includes(word) : hasWords(text, word),
    );
  });
  return [...new Set([...called, ...named])].slice(0, limit);
}

function findCalled<R extends Route>(routes: readonly R[], typed: string): R[] {
  const { method, path } = readCall('', typed);
  const given = path.split('/').filter(Boolean);
  return routes
    .filter((route) => method === '' || route.method === method)
    .map((route) => ({ route, distance: distanceOf(route.path.split('/').filter(Boolean), given) }))
    .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ route }) => route);
}

const missing = 100;

/** How far a declared path is from a given one. What stands in front of all paths of a service may be left out. */
function distanceOf(declared: readonly string[], given: readonly string[]): number {
  const front = declared.length - given.length;
  if (front < 0 || given.length === 0) return Number.POSITIVE_INFINITY;
  const rest = declared.slice(front);
  if (!rest.every((segment, place) => segment.startsWith(':') || segment === given[place]))
    return Number.POSITIVE_INFINITY;
  const open = rest.filter((segment) => segment.startsWith(':')).length;
  // By its parameters alone anything would be found.
  return open === given.length && front > 0 ? Number.POSITIVE_INFINITY : open + missing * front;
}
