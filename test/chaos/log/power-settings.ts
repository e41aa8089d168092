// What a scenario tells the instance whose power it cuts.
export const cutPoints = ['any', 'before-write', 'after-write', 'during-sync', 'after-sync'] as const;
export const cutSignal = 'SIGUSR2';
export const powerVariables = {
  root: 'CHAOS_POWER_ROOT',
  seed: 'CHAOS_POWER_SEED',
  failOneIn: 'CHAOS_POWER_FAIL_ONE_IN',
} as const;
