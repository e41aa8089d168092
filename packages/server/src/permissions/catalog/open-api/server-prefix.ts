// Determines the path prefix of a document: the path of its first server (OpenAPI 3), its `basePath` (Swagger 2.0), or
// nothing. If it cannot be determined, the result is a reason.
import { fieldOf } from './field-of.ts';
import { routePath } from './route-path.ts';

export type Prefix = { readonly prefix: string } | { readonly reason: string };

const mostCharacters = 1024;
const address = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/[^/?#]*([^?#]*)$/;

/** Drops a trailing slash: `/api/v1/` becomes `/api/v1`, and `/` becomes the empty prefix. */
export function parsePrefix(text: string): Prefix {
  const prefix = text.endsWith('/') ? text.slice(0, -1) : text;
  if (prefix === '') return { prefix };
  const path = routePath(prefix);
  return 'reason' in path ? { reason: `The prefix cannot stand in a rule. ${path.reason}` } : { prefix };
}

export function prefixOfServers(servers: unknown): Prefix {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (first === undefined) return { prefix: '' };
  const url = fillIn(fieldOf(first, 'url'), fieldOf(first, 'variables'));
  if (url === undefined || url.length > mostCharacters)
    return { reason: 'The address of the first server cannot be read.' };
  if (url === '') return { prefix: '' };
  const path = address.exec(url)?.[1] ?? (url.startsWith('/') ? url : undefined);
  if (path === undefined)
    return { reason: 'The address of the first server depends on where the document is served.' };
  return parsePrefix(path);
}

export function prefixOfBasePath(basePath: unknown): Prefix {
  if (basePath === undefined) return { prefix: '' };
  return typeof basePath === 'string' ? parsePrefix(basePath) : { reason: '`basePath` is not a string.' };
}

/** Replaces the variables of a server URL with their defaults, "which shall be sent if no other value is supplied". */
function fillIn(url: unknown, variables: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > mostCharacters) return undefined;
  let isFilled = true;
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = fieldOf(fieldOf(variables, name), 'default');
    if (typeof value === 'string' && value.length <= mostCharacters) return value;
    isFilled = false;
    return '';
  });
  return isFilled ? filled : undefined;
}
