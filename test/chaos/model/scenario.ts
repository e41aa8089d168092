// The model as a scenario of the command line; its size counts schedules.
import type { OwnScenario } from '../scenario.ts';
import { runModel } from './run-model.ts';

export const modelScenario: OwnScenario = {
  title: 'the protocol and its mutations, as a model',
  size: 15_000,
  instances: 3,
  leaseSeconds: 10,
  run({ size, seed, enter }) {
    enter('work');
    const { passed, failed } = runModel({ schedules: size, seed });
    const failures = failed === 0 ? [] : [`${failed} schedules, small worlds or mutations; see above`];
    return { passed, failures, remarks: [] };
  },
};
