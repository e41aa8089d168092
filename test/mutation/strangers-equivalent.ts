// Changes by rules after which the product does the same: no test can see them. A sample leaves them out, and at most one
// in twenty of a sample may be one.
import type { Rule } from './strangers/fault.ts';

export interface EquivalentFault {
  readonly file: string;
  readonly rule: Rule;
  /** As the run shows them. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

export const equivalentFaults: readonly EquivalentFault[] = [];
