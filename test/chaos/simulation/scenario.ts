// The product's code under simulation, as a scenario of the command line; its size counts schedules.
import type { OwnScenario } from '../scenario.ts';
import { runSimulation } from './run-simulation.ts';

export const simulationScenario: OwnScenario = {
  title: "the product's code under a simulated clock, network and database, and its faults",
  size: 1000,
  instances: 2,
  leaseSeconds: 4,
  async run({ size, seed, progress, enter }) {
    enter('work');
    return await runSimulation({ schedules: size, seed, progress });
  },
};
