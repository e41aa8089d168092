// Where an instance can be made to die (F12).
export const stopPoints = [
  'before-write',
  'before-sync',
  'after-sync',
  'before-insert',
  'after-insert',
  'after-unlink',
] as const;
export type StopPoint = (typeof stopPoints)[number];

/** Of the process that loads stop-at.ts. */
export const stopPointVariable = 'CHAOS_STOP_AT';
/** From then on it dies at its point. */
export const armingSignal = 'SIGUSR2';
