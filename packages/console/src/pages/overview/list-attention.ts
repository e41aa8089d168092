// Lists what needs attention first, from data that the service returns anyway. It omits everything that is in order.
export type Attention =
  | { readonly kind: 'requests'; readonly names: readonly string[]; readonly isMore: boolean }
  | { readonly kind: 'adminOnly'; readonly count: number; readonly isMore: boolean }
  | { readonly kind: 'unmatched'; readonly count: number }
  | {
      readonly kind: 'passwords';
      readonly people: readonly { readonly id: number; readonly username: string }[];
      readonly isMore: boolean;
    }
  | { readonly kind: 'oldKey'; readonly kid: string; readonly days: number };

interface Facts {
  readonly requests?: {
    readonly items: readonly { readonly username: string }[];
    readonly next: string | null;
  };
  readonly report?: {
    readonly adminOnly: { readonly count: number; readonly items: readonly { readonly service: string }[] };
    readonly unmatchedRules: { readonly count: number };
  };
  readonly users?: {
    readonly items: readonly {
      readonly id: number;
      readonly username: string;
      readonly passwordChangeRequired: boolean;
    }[];
    readonly isWhole: boolean;
  };
  readonly keys?: readonly { readonly kid: string; readonly state: string; readonly createdAt: string }[];
}

const ownService = 'portcullis';
const day = 24 * 60 * 60 * 1000;
export const oldKeyDays = 180;

export function listAttention({ requests, report, users, keys = [] }: Facts, now: number): Attention[] {
  const found: Attention[] = [];
  const names = [...new Set(requests?.items.map(({ username }) => username))];
  // Open access requests.
  if (names.length > 0) found.push({ kind: 'requests', names, isMore: requests?.next !== null });
  const due = users?.items.filter(({ passwordChangeRequired }) => passwordChangeRequired) ?? [];
  if (due.length > 0) found.push({ kind: 'passwords', people: due, isMore: users?.isWhole === false });
  if (report !== undefined) {
    const { adminOnly, unmatchedRules } = report;
    if (unmatchedRules.count > 0) found.push({ kind: 'unmatched', count: unmatchedRules.count });
    // Most endpoints of Portcullis are only for administrators, on purpose.
    const count = adminOnly.items.filter(({ service }) => service !== ownService).length;
    if (count > 0) found.push({ kind: 'adminOnly', count, isMore: adminOnly.count > adminOnly.items.length });
  }
  for (const { kid, state, createdAt } of keys) {
    const days = Math.floor((now - Date.parse(createdAt)) / day);
    if (state === 'signing' && days >= oldKeyDays) found.push({ kind: 'oldKey', kid, days });
  }
  return found;
}
