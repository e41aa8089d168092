// OpenAPI import: converts an OpenAPI document (3.0 to 3.2, and Swagger 2.0) to routes. It skips routes that no rule can
// name, with the reason, and refuses a document that it cannot read. The document is untrusted, so the input is bounded.
import { type CatalogRoute, catalogLimits, routeName, type SkippedRoute } from '@portcullis/contract';
import { isRecord } from '../../../base/values/is-record.ts';
import { fieldOf } from './field-of.ts';
import { createPathItemReader, type Operation } from './path-items.ts';
import { plainText } from './plain-text.ts';
import { routePath } from './route-path.ts';
import { type Prefix, parsePrefix, prefixOfBasePath, prefixOfServers } from './server-prefix.ts';

/** A route whose service is not known yet. */
export type ParsedRoute = Omit<CatalogRoute, 'service'>;

interface Found {
  readonly routes: readonly ParsedRoute[];
  readonly skipped: readonly SkippedRoute[];
}

export interface ParsedDocument extends Found {
  /** The prefix that was added to the paths. */
  readonly prefix: string;
}

type Reason = { readonly reason: string };

const mostShown = 200;
const tooMany = `It declares more than ${catalogLimits.routes} routes. Split it into several services.`;

/** @example parseOpenApi(JSON.parse(text), { prefix: '/api/v1' }) */
export function parseOpenApi(
  document: unknown,
  options: { readonly prefix?: string | undefined } = {},
): ParsedDocument | Reason {
  const stated = statedPrefix(document);
  if (stated === undefined)
    return {
      reason: 'It is not an OpenAPI document of version 3.0, 3.1 or 3.2, nor a Swagger 2.0 document.',
    };
  const chosen = options.prefix === undefined ? undefined : parsePrefix(options.prefix);
  const prefix = chosen ?? stated;
  if ('reason' in prefix)
    return { reason: `${prefix.reason} Use the option \`prefix\` to say what stands in front of the paths.` };
  const found = collectRoutes(document, (own) => chosen ?? own ?? prefix);
  if ('reason' in found) return found;
  return found.routes.length === 0 ? { reason: emptyReason(found) } : { prefix: prefix.prefix, ...found };
}

/** Undefined if the document has no known version. */
function statedPrefix(document: unknown): Prefix | undefined {
  const version = fieldOf(document, 'openapi');
  if (typeof version === 'string' && /^3\.[012](?:\.|$)/.test(version))
    return prefixOfServers(fieldOf(document, 'servers'));
  // YAML reads an unquoted 2.0 as a number.
  return ['2.0', 2].some((known) => known === fieldOf(document, 'swagger'))
    ? prefixOfBasePath(fieldOf(document, 'basePath'))
    : undefined;
}

function collectRoutes(document: unknown, prefixOf: (own: Prefix | undefined) => Prefix): Found | Reason {
  const paths = fieldOf(document, 'paths');
  const templates = isRecord(paths) ? Object.keys(paths).filter((name) => !name.startsWith('x-')) : [];
  if (templates.length > catalogLimits.routes) return { reason: tooMany };
  const readPathItem = createPathItemReader(document);
  const routes = new Map<string, ParsedRoute>();
  const skipped: SkippedRoute[] = [];
  for (const template of templates) {
    const skip = (method: string | null, reason: string) =>
      skipped.push({ method, path: plainText(template, mostShown), reason });
    const item = readPathItem(fieldOf(paths, template));
    if ('reason' in item) {
      skip(null, item.reason);
      continue;
    }
    for (const { method, reason } of item.skipped) skip(method, reason);
    for (const operation of item.operations) {
      const route = readRoute(template, operation, prefixOf(operation.prefix));
      const name = 'path' in route ? routeName(route) : '';
      if ('reason' in route) skip(operation.method, route.reason);
      else if (routes.has(name)) skip(operation.method, `It repeats ${name}.`);
      else routes.set(name, route);
    }
    if (routes.size + skipped.length > catalogLimits.routes) return { reason: tooMany };
  }
  return { routes: [...routes.values()], skipped };
}

function readRoute(template: string, operation: Operation, prefix: Prefix): ParsedRoute | Reason {
  if ('reason' in prefix) return prefix;
  const path = routePath(`${prefix.prefix}${template}`);
  if ('reason' in path) return path;
  const { method, title, tag } = operation;
  return { method, path: path.path, title, tag };
}

function emptyReason({ skipped: [first] }: Found): string {
  if (first === undefined) return 'It declares no routes.';
  return `It declares no route that a rule could name. The first is ${first.path}: ${first.reason}`;
}
