// One thing that is tried; it throws where it does not hold.
export interface Case {
  readonly title: string;
  readonly run: () => Promise<void>;
}
