// The protocol's rules as switches, and the mutations: each breaks one rule, and the model must notice.

export interface Rules {
  /** The call returns only after its barrier. */
  readonly barrier: boolean;
  /** A lease counts from the moment before the report was sent. */
  readonly leaseFromSend: boolean;
  /** Only a report renews; the statement that inserts the row does not. */
  readonly registrationGrantsNothing: boolean;
  /** A report renews only where the newest revision is enforced. */
  readonly enforcedBeforeRenewal: boolean;
  /** A report renews only where the revision that it carried is the newest, which its row then says too. */
  readonly comparedAsSent: boolean;
  /** A report renews only where the revision enforced when its answer comes is the newest. */
  readonly comparedAtReceipt: boolean;
  /** An earlier report renews once the row says what it found, and only where that is still the same row. */
  readonly earlierOfSameRow: boolean;
  /** And only within one incarnation of the database: a failover can bring back a row that was removed. */
  readonly earlierOfSameIncarnation: boolean;
  /** A report that finds no row renews nothing. */
  readonly rowNeeded: boolean;
  /** A report that was overtaken by a newer one does not lower the row's revision. */
  readonly acknowledgementKept: boolean;
  /** The writer waits one lease, no less. */
  readonly fullWait: boolean;
  /** Members use 0.98 of the lease. */
  readonly driftAllowance: boolean;
  /** Acknowledgements count only in an incarnation since whose beginning a lease has passed. */
  readonly settling: boolean;
  /** The writer knows its incarnation from its own transaction, not from its first look at the rows. */
  readonly incarnationFromCommit: boolean;
  /** The writer gives up, with 503, where it finds another incarnation. */
  readonly failoverNoticed: boolean;
  /** A report compares the mark and not only the number. */
  readonly markCompared: boolean;
  /** Changes are put on top of a state only where the database still has that state's mark. */
  readonly markFetched: boolean;
  /** A member reports the least that it and the guards enforce to whom it gave leases. */
  readonly rowCoversGuards: boolean;
  /** A member notes what it gives before the guard hears of it. */
  readonly grantNotedFirst: boolean;
  /** A member gives nothing beyond its own lease. */
  readonly grantCapped: boolean;
  /** A member gives nothing to a guard that enforces less than it has reported. */
  readonly grantAboveFloor: boolean;
  /** From when on it sends the report, not only from when it is answered. */
  readonly floorAtSend: boolean;
  /** A member gives nothing for a revision that is not in its own history. */
  readonly grantOfKnown: boolean;
  /** What was given ends by its time, and not with the connection. */
  readonly grantOutlivesConnection: boolean;
  /** A guard's lease counts from the moment before it asked. */
  readonly guardLeaseFromSend: boolean;
  /** Guards use 0.98 of what they are given. */
  readonly guardDriftAllowance: boolean;
}

export const protocol: Rules = {
  barrier: true,
  leaseFromSend: true,
  registrationGrantsNothing: true,
  enforcedBeforeRenewal: true,
  comparedAsSent: true,
  comparedAtReceipt: true,
  earlierOfSameRow: true,
  earlierOfSameIncarnation: true,
  rowNeeded: true,
  acknowledgementKept: true,
  fullWait: true,
  driftAllowance: true,
  settling: true,
  incarnationFromCommit: true,
  failoverNoticed: true,
  markCompared: true,
  markFetched: true,
  rowCoversGuards: true,
  grantNotedFirst: true,
  grantCapped: true,
  grantAboveFloor: true,
  floorAtSend: true,
  grantOfKnown: true,
  grantOutlivesConnection: true,
  guardLeaseFromSend: true,
  guardDriftAllowance: true,
};

const brokenRules = {
  'barrier-off': 'barrier',
  'lease-from-receipt': 'leaseFromSend',
  'registration-grants-lease': 'registrationGrantsNothing',
  'renewal-before-enforced': 'enforcedBeforeRenewal',
  'compared-at-receipt-only': 'comparedAsSent',
  'compared-as-sent-only': 'comparedAtReceipt',
  'earlier-of-another-row': 'earlierOfSameRow',
  'earlier-of-another-incarnation': 'earlierOfSameIncarnation',
  'row-kept-alive-by-memory': 'rowNeeded',
  'acknowledgement-lowered': 'acknowledgementKept',
  'short-wait': 'fullWait',
  'no-drift-allowance': 'driftAllowance',
  'no-settling': 'settling',
  'incarnation-read-late': 'incarnationFromCommit',
  'failover-unnoticed': 'failoverNoticed',
  'number-without-mark': 'markCompared',
  'changes-without-mark': 'markFetched',
  'row-above-guards': 'rowCoversGuards',
  'grant-noted-late': 'grantNotedFirst',
  'grant-beyond-lease': 'grantCapped',
  'grant-below-floor': 'grantAboveFloor',
  'floor-raised-late': 'floorAtSend',
  'grant-of-unknown': 'grantOfKnown',
  'grant-gone-with-connection': 'grantOutlivesConnection',
  'guard-lease-from-receipt': 'guardLeaseFromSend',
  'guard-without-drift-allowance': 'guardDriftAllowance',
} as const satisfies Record<string, keyof Rules>;

export type Mutation = keyof typeof brokenRules;

/** These rules matter only where revisions can be lost. The others must be caught without a loss. */
const mutationsOfLoss: readonly Mutation[] = [
  'compared-as-sent-only',
  'number-without-mark',
  'changes-without-mark',
  'grant-of-unknown',
];

/** These rules are about guards. The others must be caught without any. */
const mutationsOfGuards: readonly Mutation[] = [
  'row-above-guards',
  'grant-noted-late',
  'grant-beyond-lease',
  'grant-below-floor',
  'floor-raised-late',
  'grant-of-unknown',
  'grant-gone-with-connection',
  'guard-lease-from-receipt',
  'guard-without-drift-allowance',
];

export const mutations: readonly Mutation[] = Object.keys(brokenRules) as Mutation[];

export function isMutation(name: string): name is Mutation {
  return Object.hasOwn(brokenRules, name);
}

export function needsLoss(mutation: Mutation): boolean {
  return mutationsOfLoss.includes(mutation);
}

export function needsGuards(mutation: Mutation): boolean {
  return mutationsOfGuards.includes(mutation);
}

export function rulesWith(mutation: Mutation): Rules {
  return { ...protocol, [brokenRules[mutation]]: false };
}
