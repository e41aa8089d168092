// Runs the scenarios: `npm run chaos -- barrier --trials 100000 --instances 8`. Named ones run in turn; without a name the
// usual ones do, in lanes beside each other.
import { parseArgs } from 'node:util';
import { closeSuite, collectNotes } from '../rig/notes.ts';
import { laneVariable, runInLanes } from './run-in-lanes.ts';
import { runInTurn } from './run-in-turn.ts';
import { scenarios, usualScenarios } from './scenarios.ts';
import { type Entry, groupNeighbours } from './shared-cluster.ts';

collectNotes();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    trials: { type: 'string' },
    // The same, as the scenarios of the login log and of a client that runs on count them.
    kills: { type: 'string' },
    // Where a scenario counts both.
    events: { type: 'string' },
    minutes: { type: 'string' },
    mails: { type: 'string' },
    instances: { type: 'string' },
    guards: { type: 'string' },
    lease: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

// Looked at before anything runs.
const entries = (positionals.length > 0 ? [...new Set(positionals)] : usualScenarios).map(entryOf);
const { passed, failed } =
  positionals.length > 0
    ? await runInTurn(entries)
    : await runInLanes(
        groupNeighbours(entries).map((group) => group.map(({ name }) => name)),
        process.argv.slice(2),
      );
// In lanes, the process of all of them closes the suite.
if (process.env[laneVariable] === undefined) closeSuite({ passed, failed });
// At once: a connection that a scenario broke on purpose may never end automatically.
process.exit();

function entryOf(name: string): Entry {
  const scenario = scenarios[name];
  if (scenario === undefined)
    refuse(`There is no scenario "${name}". There are: ${Object.keys(scenarios).join(', ')}.`);
  const given = values.kills ?? values.minutes ?? values.trials;
  const guards = Number(values.guards ?? (given === undefined ? (scenario.guards ?? 0) : 0));
  if (!Number.isSafeInteger(guards) || guards < 0) refuse('Give a whole number of guards.');
  const run = {
    size: wholeNumber(given, scenario.size),
    instances: wholeNumber(values.instances, scenario.instances),
    guards,
    ...(values.mails === undefined ? {} : { mails: wholeNumber(values.mails, 1) }),
    leaseSeconds: wholeNumber(values.lease, scenario.leaseSeconds),
    seed: wholeNumber(values.seed, 1),
    ...(values.events === undefined ? {} : { events: wholeNumber(values.events, 1) }),
  };
  return { name, scenario, run };
}

function wholeNumber(text: string | undefined, otherwise: number): number {
  const value = Number(text ?? otherwise);
  if (!Number.isSafeInteger(value) || value < 1) refuse('Give whole numbers from 1 on.');
  return value;
}

function refuse(reason: string): never {
  console.error(reason);
  process.exit(2);
}
