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
} as const satisfies Record<string, keyof Rules>;

export type Mutation = keyof typeof brokenRules;

/** These rules matter only where revisions can be lost. The others must be caught without a loss. */
const mutationsOfLoss: readonly Mutation[] = [
  'compared-as-sent-only',
  'number-without-mark',
  'changes-without-mark',
];

export const mutations: readonly Mutation[] = Object.keys(brokenRules) as Mutation[];

export function isMutation(name: string): name is Mutation {
  return Object.hasOwn(brokenRules, name);
}

export function needsLoss(mutation: Mutation): boolean {
  return mutationsOfLoss.includes(mutation);
}

export function rulesWith(mutation: Mutation): Rules {
  return { ...protocol, [brokenRules[mutation]]: false };
}
