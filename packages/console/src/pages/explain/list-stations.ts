// The checks of a request in their order, and the check at which it stopped.
import type { Step } from './question.ts';

const stationSteps = {
  address: ['not_canonical', 'public'],
  identity: ['user_disabled', 'role_disabled'],
  password: ['password_change_required'],
  signedIn: ['identity'],
  admin: ['admin'],
  exclusion: ['excluded'],
  rules: ['rule', 'no_rule'],
} as const satisfies Record<string, readonly Step[]>;
export type StationName = keyof typeof stationSteps;

const order = ['address', 'identity', 'password', 'signedIn', 'admin', 'exclusion', 'rules'] as const;

export interface Station {
  readonly name: StationName;
  readonly state: 'passed' | 'decided' | 'unreached';
}

export function listStations(step: Step): Station[] {
  const decided = order.findIndex((name) => stationSteps[name].some((one) => one === step));
  return order.map((name, place) => ({
    name,
    state: place < decided ? 'passed' : place === decided ? 'decided' : 'unreached',
  }));
}
