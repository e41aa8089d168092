// A link that sets a password once: on its way by mail, or to be given by the operator.
import type { PasswordLink } from '@portcullis/contract';
import { shortMoment } from './output.ts';

export function shownLink({ mailed, link, expiresAt }: PasswordLink): string[] {
  const until = shortMoment(expiresAt);
  if (mailed || link === null)
    return [`A link that sets a password goes out by mail. It works once, until ${until}.`];
  return [`This link sets a password, once, until ${until}. It is shown once:`, '', `  ${link}`, ''];
}
