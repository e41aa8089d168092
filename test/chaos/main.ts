// Runs the scenarios: `npm run chaos -- barrier --trials 100000 --instances 8`. Without a name, all of them in turn.
import { parseArgs } from 'node:util';
import { barrierScenario } from './barrier.ts';
import { faultScenarios } from './faults/all.ts';
import { logScenarios } from './log.ts';
import { membersScenario } from './members.ts';
import { modelScenario } from './model/scenario.ts';
import { registrationScenario } from './registration.ts';
import { revocationScenarios } from './revocation.ts';
import { rollingScenario } from './rolling.ts';
import { rotationScenario } from './rotation.ts';
import type { Scenario } from './scenario.ts';
import { slowBodyScenario } from './slow-body.ts';
import { swapScenario } from './swap.ts';

const scenarios: Readonly<Record<string, Scenario>> = {
  model: modelScenario,
  barrier: barrierScenario,
  ...revocationScenarios,
  swap: swapScenario,
  'slow-body': slowBodyScenario,
  registration: registrationScenario,
  ...faultScenarios,
  rolling: rollingScenario,
  rotation: rotationScenario,
  members: membersScenario,
  ...logScenarios,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    trials: { type: 'string' },
    // The same, as the scenario of the login log counts them.
    kills: { type: 'string' },
    instances: { type: 'string' },
    guards: { type: 'string' },
    lease: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

let totals = { passed: 0, failed: 0 };
const names = positionals.length > 0 ? positionals : Object.keys(scenarios);
for (const name of names) {
  const scenario = scenarios[name];
  if (scenario === undefined)
    refuse(`There is no scenario "${name}". There are: ${Object.keys(scenarios).join(', ')}.`);
  const size = wholeNumber(values.kills ?? values.trials, scenario.size);
  const instances = wholeNumber(values.instances, scenario.instances);
  const guards = Number(values.guards ?? 0);
  if (!Number.isSafeInteger(guards) || guards < 0) refuse('Give a whole number of guards.');
  const leaseSeconds = wholeNumber(values.lease, scenario.leaseSeconds);
  const seed = wholeNumber(values.seed, 1);
  console.log(
    `chaos ${name}: ${scenario.title}; ${size.toLocaleString('en')} trials, ${instances} instances${guards > 0 ? ` and ${guards} guards` : ''}, lease ${leaseSeconds} s`,
  );
  const startedAt = performance.now();
  const run = { size, instances, guards, leaseSeconds, seed, progress: progressOf(name, size) };
  const { passed, failures, remarks } = await scenario.run(run);
  for (const remark of remarks) console.log(`  ${remark}`);
  for (const failure of failures) console.error(`  FAILED ${failure}`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`chaos ${name}: ${passed} passed, ${failures.length} failed (${seconds} s)`);
  totals = { passed: totals.passed + passed, failed: totals.failed + failures.length };
}
console.log(`${totals.passed} passed, ${totals.failed} failed`);
// At once: a connection that a scenario broke on purpose may never end by itself.
process.exit(totals.failed > 0 ? 1 : 0);

function wholeNumber(text: string | undefined, otherwise: number): number {
  const value = Number(text ?? otherwise);
  if (!Number.isSafeInteger(value) || value < 1) refuse('Give whole numbers from 1 on.');
  return value;
}

function refuse(reason: string): never {
  console.error(reason);
  process.exit(2);
}

function progressOf(name: string, size: number): (done: number) => void {
  let shownAt = performance.now();
  return (done) => {
    if (performance.now() - shownAt < 10_000) return;
    shownAt = performance.now();
    console.log(`chaos ${name}: ${done.toLocaleString('en')} of ${size.toLocaleString('en')}`);
  };
}
