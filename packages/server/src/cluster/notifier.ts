// Notification of instances about a new revision (NOTIFY), for speed only. It can be lost, late or false: each instance also
// reports every second, and the barrier waits for reports.

export interface Notifier {
  notify(revision: number): Promise<void>;
}
