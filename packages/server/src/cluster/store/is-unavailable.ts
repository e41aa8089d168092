// Whether an error says that Postgres cannot serve now: it is not there, is starting or stopping, is full, or reads only.

/** Of the network, and of a process that may open no more connections. */
const networkCode =
  /^E(CONN[A-Z]+|NOTFOUND|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|AI_AGAIN|MFILE|NFILE)$/;
/** Postgres's classes for connections, resources and intervention; and a standby, which reads only. */
const postgresCode = /^(08|53|57|25006)/;
const driverText =
  /^(timeout exceeded|Query read timeout|Connection terminated|Client has encountered a connection error)/;

export function isUnavailable(error: unknown): boolean {
  const { code, syscall, message } = (error ?? {}) as {
    code?: unknown;
    syscall?: unknown;
    message?: unknown;
  };
  // A socket file that is not there has the code of any missing file.
  if (syscall === 'connect') return true;
  return (
    [networkCode, postgresCode].some((codes) => codes.test(String(code))) || driverText.test(String(message))
  );
}
