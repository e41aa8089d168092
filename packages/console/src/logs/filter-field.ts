// One thing that a log can be narrowed by, as the line of filters shows it.
interface FilterOption {
  readonly value: string;
  readonly label: string;
}

export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** Its value in words; empty where it narrows nothing. */
  readonly shown: string;
  /** Its value as it is typed. */
  readonly value: string;
  readonly type?: 'text' | 'datetime-local';
  readonly options?: readonly FilterOption[];
  /** A field of its own, which acts as soon as something is chosen. */
  readonly isOwn?: boolean;
  readonly placeholder?: string;
  readonly longest?: number;
  /** Not in the menu that adds a filter. */
  readonly isOffered?: boolean;
  /** It can be removed, and not be changed. */
  readonly isFixed?: boolean;
}
