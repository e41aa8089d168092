// Warns on stderr that the mode is for development.
import type { Config } from '../base/settings/config.ts';

export function warnOfDev({ devKeys, listen, tokenLifetimeSeconds }: Config): void {
  if (!devKeys) return;
  const years = Math.round(tokenLifetimeSeconds / (365 * 86_400));
  process.stderr.write(
    `\n  MODE dev: no captcha, tokens of ${years} years. Never run this in production.\n  Listening on ${listen.host}.\n\n`,
  );
}
