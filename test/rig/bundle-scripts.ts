// Makes one folder of the scripts that suites start again and again, each with everything that it imports in few files:
// `npm run bundles`. A start of the service reads 1,500 modules, which is a third of its work; .ci/run starts some
// hundreds. Suites take the bundles where PORTCULLIS_TEST_BUNDLES says so, and the sources as they are otherwise.
import { rm } from 'node:fs/promises';
import http from 'node:http';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'rolldown';
import { bundledScripts, bundlesFolder, repository } from './start-process.ts';

/** What is no JavaScript, is not installed, or is changed from outside by a suite. */
const outside = [/^@node-rs\/argon2/, /^@electric-sql\/pglite/, /^mysql2/, 'pg'];

/** What a source reads beside itself, the threads too, stays where it is. */
const placesOfSources: Plugin = {
  name: 'places-of-sources',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.startsWith('\0')) return null;
    return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
  },
};

/**
 * An `import` of node:http reads all that it exports, WebSocket too, and so loads a client that few processes need: a tenth
 * of a start.
 */
const plainHttp: Plugin = {
  name: 'plain-http',
  resolveId: (id, _importer, { kind }) =>
    kind === 'import-statement' && (id === 'node:http' || id === 'http') ? '\0plain-http' : null,
  load: (id) =>
    id === '\0plain-http'
      ? `const http = process.getBuiltinModule('node:http');
         export default http;
         export const { ${Object.keys(http).filter(isPlain).join(', ')} } = http;`
      : null,
};
const isPlain = (name: string) => Object.getOwnPropertyDescriptor(http, name)?.get === undefined;

/** Fastify loads what it needs for TLS and for HTTP/2, which no test uses. */
const lateServers: Plugin = {
  name: 'late-servers',
  transform(code, id) {
    if (!id.endsWith('/fastify/lib/server.js')) return null;
    return code.replaceAll(
      /const (https|http2) = (require\('node:\1'\))/g,
      'const $1 = new Proxy({}, { get: (_, name) => $2[name] })',
    );
  },
};

await rm(bundlesFolder, { recursive: true, force: true });
await build({
  cwd: repository,
  input: { ...bundledScripts },
  platform: 'node',
  external: outside,
  plugins: [placesOfSources, plainHttp, lateServers],
  output: {
    dir: bundlesFolder,
    format: 'esm',
    // By its name Node knows that a file is a module, and does not compile it to find out.
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    minify: false,
  },
  logLevel: 'warn',
});
