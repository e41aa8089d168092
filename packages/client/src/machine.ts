// For programs: a client that logs in with the key of a service account, and again before its token ends. An entry of its
// own, so that the page of a front end holds nothing of it.
export {
  createMachineClient,
  type MachineClient,
  type MachineOptions,
} from './machine/create-machine-client.ts';
export { type MachineKey, parseMachineKey } from './machine/machine-key.ts';
export { createMachineTokens, type MachineTokens } from './machine/machine-tokens.ts';
export { signAssertion } from './machine/sign-assertion.ts';
