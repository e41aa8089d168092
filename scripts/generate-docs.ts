// Writes the files that come from the code. With --check it writes nothing and fails when a file on disk differs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { generatedPages } from './generated-pages.ts';

const root = new URL('../', import.meta.url);
const isCheck = process.argv.includes('--check');
const problems: string[] = [];

for (const { file, page, problems: found } of await generatedPages()) {
  problems.push(...found);
  const target = new URL(file, root);
  if (!isCheck) {
    mkdirSync(new URL('.', target), { recursive: true });
    writeFileSync(target, page);
  } else if (!existsSync(target) || readFileSync(target, 'utf8') !== page)
    problems.push(`${file} is not up to date. Run \`npm run docs\`.`);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
