// Classifies errors: whether Postgres cannot serve now, because it is unreachable, starting, stopping, out of resources or
// read-only.

/** Network errors, and a process that cannot open more connections. */
const networkCode =
  /^E(CONN[A-Z]+|NOTFOUND|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|AI_AGAIN|MFILE|NFILE)$/;
/** Postgres's error classes for connections, resources and operator intervention; and a standby, which is read-only. */
const postgresCode = /^(08|53|57|25006)/;
const driverText =
  /^(timeout exceeded|Query read timeout|Connection terminated|Client has encountered a connection error)/;

export function isUnavailable(error: unknown): boolean {
  const { code, syscall, message } = (error ?? {}) as {
    code?: unknown;
    syscall?: unknown;
    message?: unknown;
  };
  // A missing socket file has the error code of any missing file.
  if (syscall === 'connect') return true;
  return (
    [networkCode, postgresCode].some((codes) => codes.test(String(code))) || driverText.test(String(message))
  );
}
