// Bundles the JavaScript of the package: our packages are bundled, all others stay external dependencies.
import { readFile, writeFile } from 'node:fs/promises';
import { build, type Plugin } from 'rolldown';
import manifest from '../package.json' with { type: 'json' };
import { endOnOldNode, throwOnOldNode } from './node-check.ts';

/** By the name of the file in dist/. Worker threads are started by their file, so they are entries too. */
export const entries: Readonly<Record<string, string>> = {
  program: 'operator/src/main.ts',
  index: 'server/src/index.ts',
  'bcrypt-worker': 'server/src/sign-in/login/credentials/bcrypt-worker.ts',
  'drawing-worker': 'server/src/sign-in/login/captcha/drawing-worker.ts',
  'postgres-thread': 'operator/src/demo/postgres-thread.ts',
  contract: 'contract/src/index.ts',
};

/** The entries that programs import. */
const imported: readonly string[] = ['index', 'contract'];
/** The entry of the command line. */
export const command = 'main';

/**
 * Every expression in the sources that locates a file beside the source, and its replacement for a dist/ folder in
 * which all files are together.
 */
const places: readonly (readonly [source: string, built: string])[] = [
  [
    "import.meta.resolve('@portcullis/console/dist/index.html')",
    "new URL('./console/index.html', import.meta.url).href",
  ],
  // Unchanged: it locates an installed package.
  ["import.meta.resolve('@electric-sql/pglite')", "import.meta.resolve('@electric-sql/pglite')"],
  ["new URL('../.compiled/', import.meta.url)", "new URL('../.compiled/', import.meta.url)"],
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
      // No source map: stack traces of users have the same line numbers as ours.
      sourcemap: false,
      minify: false,
      intro: ({ name }) => (imported.includes(name) ? throwOnOldNode(manifest) : ''),
    },
    logLevel: 'warn',
  });
  await writeCommand(root, folder);
}

/**
 * Writes the command: a file in a syntax that an old Node can parse, which loads the others only in a sufficient Node.
 */
async function writeCommand(root: string, folder: string): Promise<void> {
  const [options] = (await readFile(`${root}packages/${entries.program}`, 'utf8')).split('\n', 1);
  const text = `${options}\n${endOnOldNode(manifest)}import('./program.js');\n`;
  await writeFile(`${folder}${command}.js`, text, { mode: 0o755 });
}

function placesInOneFolder(): Plugin {
  const met = new Set<string>();
  return {
    name: 'places-in-one-folder',
    transform(code, id) {
      // A name that begins with NUL is a virtual module of the bundler.
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
