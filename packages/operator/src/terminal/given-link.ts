// The output for a link that sets a password once: it was sent by mail, or the operator passes it on.
import type { PasswordLink } from '@portcullis/contract';
import { shortMoment } from './output.ts';

export function linkLines({ mailed, link, expiresAt }: PasswordLink): string[] {
  const until = shortMoment(expiresAt);
  if (mailed || link === null)
    return [`A link that sets a password goes out by mail. It works once, until ${until}.`];
  return [`This link sets a password, once, until ${until}. It is shown once:`, '', `  ${link}`, ''];
}
