// Serves the files of the console under /console/, out of memory: what was not there at the start has no address, and
// no path reaches a disk. Its pages are addresses too, and all of them are the one document.
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
  /** Compressed when it is first asked for. */
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

/** Scripts and styles of our own, and nothing of anybody else's. The captcha comes as a data URL. */
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

/** Undefined where the console was not built. */
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

/** The one address that ends with a slash: what people type, and what the first page is called in the address bar. */
export function isConsoleRoot(target: string): boolean {
  return /^\/console\/(?:\?[!"$-~]*)?$/.test(target);
}

/** What people type who know the host alone. */
export const frontDoor = '/';

export function mountConsole(app: FastifyInstance, files: ConsoleFiles): void {
  const config = { access: 'public' } as const;
  const answer = (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    const name = request.params['*'] ?? '';
    const file = files.get(name) ?? (isPage(name) ? files.get(document) : undefined);
    if (file === undefined) throw new AppError('route_not_found');
    return send(file, request, reply);
  };
  // A browser that opens a page is led on. To everybody else there is nothing: the interface is below /api/v1.
  app.get(frontDoor, { config }, async (request, reply) => {
    if (request.headers.accept?.includes('text/html') !== true) throw new AppError('route_not_found');
    setCommonHeaders(request, reply);
    return reply.redirect('/console/', 302);
  });
  app.get('/console', { config }, answer);
  app.get('/console/*', { config }, answer);
}

const assets = 'assets/';

/** Also what is below a page: the console itself says that there is none. What looks like a file is none of them. */
function isPage(name: string): boolean {
  return !name.startsWith(assets) && /^[A-Za-z0-9_~/-]*$/.test(name);
}

async function send(file: ConsoleFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  setCommonHeaders(request, reply);
  // Built files have a hash in their names; the document leads to them, and must be the newest.
  if (request.url.startsWith(`/console/${assets}`))
    reply.header('cache-control', 'public, max-age=31536000, immutable');
  reply.headers({
    'content-type': file.contentType,
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // Where origins are listed, the answers vary by them already.
    vary: [reply.raw.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '),
  });
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(file.bytes);
  file.compressed ??= promisify(gzip)(file.bytes);
  return reply.header('content-encoding', 'gzip').send(await file.compressed);
}

/** A weight of 0 refuses it. */
function acceptsGzip(header = ''): boolean {
  const codings = header.toLowerCase().replaceAll(' ', '').split(',');
  return codings.some((coding) => /^gzip(?:$|;q=(?!0(?:\.0*)?$))/.test(coding));
}
