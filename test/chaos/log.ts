// The scenarios of the login log by their names on the command line.
import { eioScenario } from './log/eio.ts';
import { logFaultsScenario } from './log/faults.ts';
import { logScenario } from './log/kills.ts';
import { powerScenario } from './log/power.ts';
import type { Scenario } from './scenario.ts';

export const logScenarios: Readonly<Record<string, Scenario>> = {
  log: logScenario,
  'log-faults': logFaultsScenario,
  'log-power': powerScenario,
  'log-eio': eioScenario,
};
