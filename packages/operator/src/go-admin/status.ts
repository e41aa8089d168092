// Interprets the status column of go-admin. Since 2021, 2 means enabled and 1 disabled, and only users with 2 can log
// in; before, 0 meant enabled. The roles show which version applies: every installation has an enabled role.

export type Status = 'enabled' | 'disabled' | 'unknown';
export type StatusReader = (status: string) => Status;

export function createStatusReader(statusesOfRoles: readonly string[]): StatusReader {
  const enabled = statusesOfRoles.includes('2') ? '2' : '0';
  return (status) => {
    if (status === enabled) return 'enabled';
    return status === '1' ? 'disabled' : 'unknown';
  };
}
