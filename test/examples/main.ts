// Runs the examples: `npm run examples`. A word picks tests by name, such as `npm run examples -- python-nginx`; `nextjs`
// runs by its name only.
import { startVitest } from 'vitest/node';
import { closeSuite, collectNotes } from '../rig/notes.ts';

collectNotes();

const [name] = process.argv.slice(2);
if (name === 'nextjs') process.env.PORTCULLIS_SLOW_EXAMPLES = 'true';
const vitest = await startVitest('test', [], {
  project: 'examples',
  watch: false,
  reporters: ['default'],
  ...(name === undefined ? {} : { testNamePattern: name }),
});
const tests = vitest.state
  .getTestModules()
  .flatMap((module) => [...module.children.allTests()])
  .filter(({ fullName }) => name === undefined || fullName.includes(name));
const passed = tests.filter((test) => test.result().state === 'passed').length;
// A test whose preparation failed was skipped: only what passed is no failure.
const failed = tests.length - passed + vitest.state.getUnhandledErrors().length;
closeSuite({ passed, failed });
await vitest.close();
if (passed === 0) process.exitCode = 1;
