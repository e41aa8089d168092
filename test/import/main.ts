// Moves a large go-admin in, as an operator would: `npm run import -- --users 100000`. From MariaDB and from Postgres, each
// once as a dry run, once interrupted, once completely, and once again; with the time and the memory that it used.
import { parseArgs } from 'node:util';
import { closeSuite, collectNotes } from '../rig/notes.ts';
import { runMove } from './run-move.ts';

collectNotes();

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    roles: { type: 'string', default: '200' },
    rules: { type: 'string', default: '20000' },
    sources: { type: 'string', default: 'mysql,postgres' },
  },
});
const size = { users: Number(values.users), roles: Number(values.roles), rules: Number(values.rules) };
const sources = values.sources.split(',').map((name) => (name === 'mysql' ? 'mysql' : 'postgres'));

let passed = 0;
let failed = 0;
for (const source of sources)
  for await (const { name, problem } of runMove(source, size)) {
    if (problem === undefined) passed += 1;
    else failed += 1;
    console.log(
      `${problem === undefined ? 'pass' : 'FAIL'}  ${source}: ${name}${problem === undefined ? '' : `\n${problem}`}`,
    );
  }
closeSuite({ passed, failed });
