// Writes the pages that come from the code. With --check it writes nothing and fails when a page on disk differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { configurationPage } from './generate-configuration.ts';
import { conformancePage } from './generate-conformance.ts';
import { securityPage } from './generate-security.ts';

const docs = new URL('../docs/', import.meta.url);
const isCheck = process.argv.includes('--check');
const conformance = conformancePage();
const security = securityPage();
const problems = [...conformance.problems, ...security.problems];

for (const [file, page] of Object.entries({
  'configuration.md': configurationPage(),
  'conformance.md': conformance.page,
  'security.md': security.page,
})) {
  if (!isCheck) writeFileSync(new URL(file, docs), page);
  else if (readFileSync(new URL(file, docs), 'utf8') !== page)
    problems.push(`docs/${file} is not up to date. Run \`npm run docs\`.`);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
