// Lint of the paths of endpoints: a canonical request target must be able to name each of them.
import { routeName } from '@portcullis/contract';

const routeSegment = /^(?:[A-Za-z0-9_~.-]{1,64}|:[A-Za-z_][A-Za-z0-9_]*)$/;

/** Paths that no request could reach, or that would match too much, each with its remedy; empty when there is none. */
export function lintPaths(endpoints: readonly { method: string; path: string }[]): string[] {
  const names = endpoints.map(routeName);
  return endpoints.flatMap(({ path }, index) => {
    const name = names[index] ?? '';
    if (names.indexOf(name) !== index) return [`The route ${name} is declared twice. Remove one.`];
    const isSound =
      path.startsWith('/api/v1/') &&
      path
        .slice(1)
        .split('/')
        .every((segment) => routeSegment.test(segment));
    return isSound
      ? []
      : [
          `The route ${name} is not below /api/v1, or has a segment that is neither literal text nor \`:name\`. Correct its path.`,
        ];
  });
}
