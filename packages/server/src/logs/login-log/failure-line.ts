// Process log line for each failed login, for fail2ban (deploy/fail2ban). Values of the service come before values of the client,
// so that a client cannot forge the beginning of a line.
import type { Logger } from 'pino';
import type { LoginRecord } from './login-record.ts';

export function createFailureLine(logger: Logger): (record: LoginRecord) => void {
  // `logger.logFailedLogins` requests these lines, so they are written at every `logger.level`.
  const lines = logger.child({}, { level: 'info' });
  return ({ ip, reason, requestId, username }) =>
    lines.info({ ip, reason, requestId, username }, 'a login failed');
}
