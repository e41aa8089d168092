// The types of the package, file by file as the sources are. Where one of our packages names another, a relative path
// takes the place of the name.
import { execFileSync } from 'node:child_process';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';

export async function writeTypes(root: string, folder: string): Promise<void> {
  const settings = `${root}packages/portcullis/tsconfig.types.json`;
  // `npm run types` has checked them: to check them again takes five times as long.
  execFileSync(`${root}node_modules/.bin/tsc`, ['-p', settings, '--noCheck', '--outDir', folder], {
    stdio: 'inherit',
  });
  for await (const file of glob(`${folder}**/*.d.ts`)) {
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      nameByPath(text, (name) => pathTo(`${folder}${name}/src/index.d.ts`, file)),
    );
  }
}

const ourPackage = /(['"])@portcullis\/(contract|policy|gate|client|server)\1/g;
const ourFile = /(['"])(\.{1,2}\/[^'"]+)\.ts\1/g;

function nameByPath(text: string, pathOf: (name: string) => string): string {
  return text
    .replaceAll(ourPackage, (_, quote, name) => `${quote}${pathOf(name)}${quote}`)
    .replaceAll(ourFile, '$1$2.js$1');
}

function pathTo(target: string, from: string): string {
  return relative(dirname(from), target)
    .replace(/^(?!\.)/, './')
    .replace(/\.d\.ts$/, '.js');
}
