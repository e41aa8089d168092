// Reads the path items of an OpenAPI document: the operations of each, and the entries that a rule cannot name. It follows
// references only within the document and only a limited number of times, and reads every item once, however many paths
// refer to it.
import { type CatalogRoute, type HttpMethod, httpMethods } from '@portcullis/contract';
import { isRecord } from '../../../base/values/is-record.ts';
import { fieldOf } from './field-of.ts';
import { plainText } from './plain-text.ts';
import { type Prefix, prefixOfServers } from './server-prefix.ts';

export interface PathItem {
  readonly operations: readonly Operation[];
  readonly skipped: readonly { readonly method: string; readonly reason: string }[];
}

export interface Operation extends Pick<CatalogRoute, 'method' | 'title' | 'tag'> {
  /** The prefix from the `servers` of this operation or its path item. */
  readonly prefix: Prefix | undefined;
}

type Reason = { readonly reason: string };
type Fields = Readonly<Record<string, unknown>>;

export const textLimits = { title: 200, tag: 64 } as const;
const mostReferences = 8;
const longestPointer = 1000;
const plainFields = ['summary', 'description', 'parameters'];
const decided = `Rules are for ${httpMethods.join(', ')}.`;

/** @example const readPathItem = createPathItemReader(document); readPathItem(document.paths['/orders']); */
export function createPathItemReader(document: unknown): (value: unknown) => PathItem | Reason {
  const known = new Map<Fields, PathItem>();
  return (value) => {
    const fields = resolve(document, value);
    if (!isRecord(fields)) return { reason: fields };
    const item = known.get(fields) ?? readItem(fields);
    known.set(fields, item);
    return item;
  };
}

/** Returns the path item, or the reason why there is none. */
function resolve(document: unknown, value: unknown): Fields | string {
  let item = value;
  for (let references = 0; references <= mostReferences; references++) {
    if (!isRecord(item)) return 'The path is not described by an object.';
    if (!Object.hasOwn(item, '$ref')) return item;
    const others = Object.keys(item).filter((name) => name !== '$ref' && !isPlain(name));
    if (others.length > 0) return 'The path has both a reference and other fields.';
    item = findLocal(document, item.$ref);
    if (item === undefined) return 'The path refers to something that the document does not have.';
  }
  return 'The path refers to an endless chain of references.';
}

/** Resolves a JSON pointer (RFC 6901) within the document. */
function findLocal(document: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/') || reference.length > longestPointer)
    return undefined;
  return reference
    .slice(2)
    .split('/')
    .reduce((found, token) => fieldOf(found, decodeToken(token)), document);
}

function decodeToken(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return token;
  }
}

function readItem(fields: Fields): PathItem {
  const operations: Operation[] = [];
  const skipped: { method: string; reason: string }[] = [];
  for (const name of Object.keys(fields)) {
    if (isPlain(name) || name === 'servers') continue;
    const method = httpMethods.find((known) => known.toLowerCase() === name);
    const operation = fields[name];
    if (method === undefined) skipped.push({ method: plainText(name, 32).toUpperCase(), reason: decided });
    else if (!isRecord(operation)) skipped.push({ method, reason: 'The operation is not an object.' });
    else operations.push(readOperation(method, operation, fields));
  }
  return { operations, skipped };
}

function readOperation(method: HttpMethod, operation: Fields, item: Fields): Operation {
  const servers = fieldOf(operation, 'servers') ?? fieldOf(item, 'servers');
  const tags = fieldOf(operation, 'tags');
  return {
    method,
    title:
      textOf(fieldOf(operation, 'summary'), textLimits.title) ||
      textOf(fieldOf(operation, 'operationId'), textLimits.title),
    tag: textOf(Array.isArray(tags) ? tags[0] : undefined, textLimits.tag) || null,
    prefix: servers === undefined ? undefined : prefixOfServers(servers),
  };
}

function textOf(value: unknown, most: number): string {
  return typeof value === 'string' ? plainText(value, most) : '';
}

function isPlain(name: string): boolean {
  return plainFields.includes(name) || name.startsWith('x-');
}
