// The seam that hurries instances to a new revision. A ring may be lost, late or false: the report that every instance
// makes each second stands behind it, and a barrier waits for reports, not for rings.

export interface Notifier {
  ring(revision: number): Promise<void>;
}
