// One line of the process log for every failed attempt, for fail2ban (deploy/fail2ban). What the service itself says
// comes before what the client sent, so that the beginning of a line cannot be forged.
import type { Logger } from 'pino';
import type { LoginRecord } from './login-record.ts';

export function createFailureLine(logger: Logger): (record: LoginRecord) => void {
  // Whoever asks for these lines gets them at every `logger.level`.
  const lines = logger.child({}, { level: 'info' });
  return ({ ip, reason, requestId, username }) =>
    lines.info({ ip, reason, requestId, username }, 'a login failed');
}
