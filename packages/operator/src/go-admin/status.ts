// What a status of go-admin means. Since 2021 it is 2 for enabled and 1 for disabled, and only who has 2 may log in;
// before, 0 was enabled. The roles tell which it is: every installation has an enabled one.

export type Status = 'enabled' | 'disabled' | 'unknown';
export type StatusReader = (status: string) => Status;

export function createStatusReader(statusesOfRoles: readonly string[]): StatusReader {
  const enabled = statusesOfRoles.includes('2') ? '2' : '0';
  return (status) => {
    if (status === enabled) return 'enabled';
    return status === '1' ? 'disabled' : 'unknown';
  };
}
