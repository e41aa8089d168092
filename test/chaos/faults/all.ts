// Every fault by its name on the command line.
import type { Scenario } from '../scenario.ts';
import { clockScenario } from './clock.ts';
import { corruptScenario } from './corrupt.ts';
import { cutScenario, guardCutScenario } from './cut.ts';
import { failoverScenario } from './failover.ts';
import { flapScenario } from './flap.ts';
import { pauseScenario } from './pause.ts';
import { restartScenario } from './restart.ts';
import { slowScenario } from './slow.ts';

export const faultScenarios: Readonly<Record<string, Scenario>> = {
  pause: pauseScenario,
  cut: cutScenario,
  'guard-cut': guardCutScenario,
  restart: restartScenario,
  failover: failoverScenario,
  flap: flapScenario,
  slow: slowScenario,
  corrupt: corruptScenario,
  clock: clockScenario,
};
