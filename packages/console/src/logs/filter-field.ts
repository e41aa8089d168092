// One filter of a log, as the filter bar shows it.
interface FilterOption {
  readonly value: string;
  readonly label: string;
}

export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** The value in words; empty if the filter is not set. */
  readonly shown: string;
  /** The value as the user types it. */
  readonly value: string;
  readonly type?: 'text' | 'datetime-local';
  readonly options?: readonly FilterOption[];
  /** A separate field, which applies a choice at once. */
  readonly isOwn?: boolean;
  readonly placeholder?: string;
  readonly longest?: number;
  /** False hides it from the menu that adds filters. */
  readonly isOffered?: boolean;
  /** It can be removed but not changed. */
  readonly isFixed?: boolean;
}
