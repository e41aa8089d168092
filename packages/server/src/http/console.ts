// Static files of the console under /console/, served from memory: a file that did not exist at the start cannot be requested,
// and no path reaches the disk. Each page of the console has an address, and all of them serve the same document (single-page
// application).
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { AppError } from '@portcullis/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setCommonHeaders } from './headers.ts';

export interface ConsoleFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Compressed on the first request. */
  compressed?: Promise<Buffer>;
}
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);
const document = 'index.html';

/** Content security policy: only scripts and styles of the console itself. The captcha is a data URL. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Undefined when the console was not built. */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, ConsoleFile>();
  for (const entry of entries) {
    const contentType = contentTypes.get(extname(entry.name));
    if (!entry.isFile() || contentType === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1), { contentType, bytes: await readFile(path) });
  }
  return files.has(document) ? files : undefined;
}

/** The only address that ends with a slash: people type it, and it is the address of the first page. */
export function isConsoleRoot(target: string): boolean {
  return /^\/console\/(?:\?[!"$-~]*)?$/.test(target);
}

/** The address that people type who know only the host. */
export const frontDoor = '/';

export function mountConsole(app: FastifyInstance, files: ConsoleFiles): void {
  const config = { access: 'public' } as const;
  const answer = (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    const name = request.params['*'] ?? '';
    const file = files.get(name) ?? (isPage(name) ? files.get(document) : undefined);
    if (file === undefined) throw new AppError('route_not_found');
    return send(file, request, reply);
  };
  // Redirects a browser that opens a page. Other clients find nothing here: the API is below /api/v1.
  app.get(frontDoor, { config }, async (request, reply) => {
    if (request.headers.accept?.includes('text/html') !== true) throw new AppError('route_not_found');
    setCommonHeaders(request, reply);
    return reply.redirect('/console/', 302);
  });
  app.get('/console', { config }, answer);
  app.get('/console/*', { config }, answer);
}

const assets = 'assets/';

/** Also paths below a page: the console itself says that there is no such page. A path that looks like a file is not a page. */
function isPage(name: string): boolean {
  return !name.startsWith(assets) && /^[A-Za-z0-9_~/-]*$/.test(name);
}

async function send(file: ConsoleFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  setCommonHeaders(request, reply);
  // Built files have a hash in their names; the document refers to them, and must be the newest.
  if (request.url.startsWith(`/console/${assets}`))
    reply.header('cache-control', 'public, max-age=31536000, immutable');
  reply.headers({
    'content-type': file.contentType,
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // With listed origins, the response varies by origin already.
    vary: [reply.raw.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '),
  });
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(file.bytes);
  file.compressed ??= promisify(gzip)(file.bytes);
  return reply.header('content-encoding', 'gzip').send(await file.compressed);
}

/** A weight of 0 refuses gzip. */
function acceptsGzip(header = ''): boolean {
  const codings = header.toLowerCase().replaceAll(' ', '').split(',');
  return codings.some((coding) => /^gzip(?:$|;q=(?!0(?:\.0*)?$))/.test(coding));
}
