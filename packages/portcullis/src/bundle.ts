// The JavaScript of the package: our own packages inside, everybody else's outside, as dependencies.
import { chmod } from 'node:fs/promises';
import { build, type Plugin } from 'rolldown';

/** By the name of the file in dist/. Threads are started by their file, and so are entries too. */
export const entries: Readonly<Record<string, string>> = {
  main: 'operator/src/main.ts',
  index: 'server/src/index.ts',
  'bcrypt-worker': 'server/src/login/credentials/bcrypt-worker.ts',
  'drawing-worker': 'server/src/login/captcha/drawing-worker.ts',
  'postgres-thread': 'operator/src/demo/postgres-thread.ts',
  contract: 'contract/src/index.ts',
  client: 'client/src/index.ts',
  guard: 'client/src/guard/index.ts',
  express: 'client/src/express.ts',
  fastify: 'client/src/fastify.ts',
  koa: 'client/src/koa.ts',
  'data-scope': 'client/src/data-scope.ts',
};

/** Everywhere that a source reads a file beside itself, and what becomes of it where all files are in one folder. */
const places: readonly (readonly [source: string, built: string])[] = [
  [
    "import.meta.resolve('@portcullis/console/dist/index.html')",
    "new URL('./console/index.html', import.meta.url).href",
  ],
  ["new URL('./migrations/', import.meta.url)", "new URL('./migrations/', import.meta.url)"],
  [
    "new URL('postgres-data.tar.zst', import.meta.url)",
    "new URL('./postgres-data.tar.zst', import.meta.url)",
  ],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    'new URL(`bcrypt-worker${extname(import.meta.url)}`, import.meta.url)',
    "new URL('./bcrypt-worker.js', import.meta.url)",
  ],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    'new URL(`drawing-worker${extname(import.meta.url)}`, import.meta.url)',
    "new URL('./drawing-worker.js', import.meta.url)",
  ],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    'new URL(`postgres-thread${extname(import.meta.url)}`, import.meta.url)',
    "new URL('./postgres-thread.js', import.meta.url)",
  ],
];

export async function bundle(root: string, folder: string): Promise<void> {
  const input = Object.entries(entries).map(([name, file]) => [name, `${root}packages/${file}`]);
  await build({
    input: Object.fromEntries(input),
    platform: 'node',
    external: (id) => /^[\w@]/.test(id) && !id.startsWith('@portcullis/'),
    plugins: [placesInOneFolder()],
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      // A stack trace of a user names the same lines as ours.
      sourcemap: false,
      minify: false,
    },
    logLevel: 'warn',
  });
  await chmod(`${folder}main.js`, 0o755);
}

function placesInOneFolder(): Plugin {
  const met = new Set<string>();
  return {
    name: 'places-in-one-folder',
    transform(code, id) {
      // A name that begins with NUL is a module of the bundler's own.
      if (!code.includes('import.meta.') || id.startsWith('\0')) return null;
      let built = code;
      let unknown = code;
      for (const [source, replacement] of places) {
        if (!code.includes(source)) continue;
        met.add(source);
        built = built.replaceAll(source, replacement);
        unknown = unknown.replaceAll(source, '');
      }
      if (unknown.includes('import.meta.'))
        throw new Error(
          `${id} reads a file beside itself that bundle.ts does not know. Add it to \`places\`.`,
        );
      return built;
    },
    buildEnd() {
      const missing = places.filter(([source]) => !met.has(source));
      if (missing.length > 0)
        throw new Error(
          `No source has ${missing.map(([source]) => source).join(', ')} any more. Mend \`places\`.`,
        );
    },
  };
}
