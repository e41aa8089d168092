// The documents: `npm run docs-test`. `links` looks at every link, `site` builds the site and uses its playground, `commands` executes the README and the
// tutorial in a fresh clone (a further word picks pages by name); without a word all of them.
import { closeSuite, collectNotes } from '../rig/notes.ts';
import { checkLinks, checkNavigation, listFiles } from './check-links.ts';
import { checkPlayground } from './check-playground.ts';
import { checkSite } from './check-site.ts';
import { runPages } from './run-pages.ts';

collectNotes();

const [part = 'all', ...names] = process.argv.slice(2);
if (!['all', 'links', 'site', 'commands'].includes(part)) {
  console.error('Say links, site or commands, or nothing for all of them.');
  process.exit(2);
}

let passed = 0;
let failed = 0;

if (part === 'all' || part === 'links') {
  const files = listFiles();
  const { checked, elsewhere, broken } = checkLinks(files);
  const faults = [...broken, ...checkNavigation(files)];
  for (const address of [...elsewhere].sort()) console.log(`not asked: ${address}`);
  count(checked - broken.length, faults);
}
if (part === 'all' || part === 'site') {
  const { pages, faults } = checkSite();
  count(pages, faults);
  if (pages > 0) {
    const playground = await checkPlayground();
    count(playground.passed, playground.faults);
  }
}
if (part === 'all' || part === 'commands') {
  const tally = await runPages(names);
  passed += tally.passed;
  failed += tally.failed;
}
closeSuite({ passed, failed });
if (passed === 0) process.exitCode = 1;

function count(good: number, faults: readonly string[]): void {
  for (const fault of faults) console.error(fault);
  passed += good;
  failed += faults.length;
}
