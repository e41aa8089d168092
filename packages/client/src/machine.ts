// The public interface of the client for programs (machine-to-machine): it logs in with the key of a service account, and
// again before its token expires. It is a separate entry of the package, so that the bundle of a front end does not
// contain it.
export {
  createMachineClient,
  type MachineClient,
  type MachineOptions,
} from './machine/create-machine-client.ts';
export { type MachineKey, parseMachineKey } from './machine/machine-key.ts';
export { createMachineTokens, type MachineTokens } from './machine/machine-tokens.ts';
export { signAssertion } from './machine/sign-assertion.ts';
