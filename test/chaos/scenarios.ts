// Every scenario by its name on the command line. Those that can share a cluster stand beside each other, and the order
// is from what computes most to what waits most.
import { barrierScenario } from './barrier.ts';
import { eventsScenario } from './events/scenario.ts';
import { factorRaiseScenario } from './factor/raise.ts';
import { factorScenario } from './factor/scenario.ts';
import { clockScenario } from './faults/clock.ts';
import { corruptScenario } from './faults/corrupt.ts';
import { cutScenario, guardCutScenario } from './faults/cut.ts';
import { failoverScenario } from './faults/failover.ts';
import { flapScenario } from './faults/flap.ts';
import { patroniFrozenScenario, patroniScenario } from './faults/patroni.ts';
import { pauseScenario } from './faults/pause.ts';
import { relaysScenario } from './faults/relays.ts';
import { restartScenario } from './faults/restart.ts';
import { slowScenario } from './faults/slow.ts';
import { inFlightScenario } from './in-flight/scenario.ts';
import { keyClientScenario } from './keys/client.ts';
import { keysScenario } from './keys/scenario.ts';
import { eioScenario } from './log/eio.ts';
import { logFaultsScenario } from './log/faults.ts';
import { logScenario } from './log/kills.ts';
import { powerScenario } from './log/power.ts';
import { lostHistoryScenario } from './lost-history/scenario.ts';
import { mailScenario } from './mail/scenario.ts';
import { mappingsScenario } from './mappings/scenario.ts';
import { membersScenario } from './members.ts';
import { modelScenario } from './model/scenario.ts';
import { providerScenario } from './provider/scenario.ts';
import { registrationScenario } from './registration.ts';
import { revocationScenarios } from './revocation.ts';
import { rollingScenario } from './rolling.ts';
import { rotationScenario } from './rotation.ts';
import { ruleEndScenario } from './rule-end.ts';
import type { Scenario } from './scenario.ts';
import { simulationScenario } from './simulation/scenario.ts';
import { slowBodyScenario } from './slow-body.ts';
import { swapScenario } from './swap.ts';
import { upgradeScenario } from './upgrade.ts';

export const scenarios: Readonly<Record<string, Scenario>> = {
  model: modelScenario,
  simulation: simulationScenario,
  barrier: barrierScenario,
  ...revocationScenarios,
  swap: swapScenario,
  'slow-body': slowBodyScenario,
  'in-flight': inFlightScenario,
  factor: factorScenario,
  'factor-raise': factorRaiseScenario,
  keys: keysScenario,
  'key-client': keyClientScenario,
  provider: providerScenario,
  mappings: mappingsScenario,
  rotation: rotationScenario,
  log: logScenario,
  events: eventsScenario,
  mail: mailScenario,
  rolling: rollingScenario,
  upgrade: upgradeScenario,
  'log-power': powerScenario,
  'log-eio': eioScenario,
  registration: registrationScenario,
  failover: failoverScenario,
  patroni: patroniScenario,
  'patroni-frozen': patroniFrozenScenario,
  'lost-history': lostHistoryScenario,
  'rule-end': ruleEndScenario,
  flap: flapScenario,
  restart: restartScenario,
  corrupt: corruptScenario,
  cut: cutScenario,
  slow: slowScenario,
  pause: pauseScenario,
  'guard-cut': guardCutScenario,
  relays: relaysScenario,
  clock: clockScenario,
  members: membersScenario,
  'log-faults': logFaultsScenario,
};

/** Those that run where no name is given. */
export const usualScenarios: readonly string[] = Object.keys(scenarios).filter(
  (name) => scenarios[name]?.onlyByName !== true,
);
