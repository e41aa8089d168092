// Finds endpoints by a real call (`DELETE /orders/1042`), or by words of method, path and title.
import { readCall } from '../pages/explain/question.ts';
import { hasWords } from './has-words.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly title: string;
}

/** Endpoints that match the call come first, sorted by how exactly they match. */
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

/** The distance of a declared path from a given one. A prefix that all paths of a service share can be omitted. */
function distanceOf(declared: readonly string[], given: readonly string[]): number {
  const front = declared.length - given.length;
  if (front < 0 || given.length === 0) return Number.POSITIVE_INFINITY;
  const rest = declared.slice(front);
  if (!rest.every((segment, place) => segment.startsWith(':') || segment === given[place]))
    return Number.POSITIVE_INFINITY;
  const open = rest.filter((segment) => segment.startsWith(':')).length;
  // A match by parameters alone would find every endpoint.
  return open === given.length && front > 0 ? Number.POSITIVE_INFINITY : open + missing * front;
}
