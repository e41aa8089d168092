// LDAP as a kind of provider: validates the settings of a directory, and checks whether people can log in by it.
import { X509Certificate } from 'node:crypto';
import type { LdapSettings, ProviderFinding, ProviderSettings } from '@portcullis/contract';
import type { ProviderKind } from '../provider-kind.ts';
import { DirectoryUnavailable, type UnavailableReason } from './connection/directory-unavailable.ts';
import { parseDirectoryUrl } from './connection/parse-directory-url.ts';
import type { Directories } from './directories.ts';
import { canonicalDn } from './distinguished-name.ts';

interface LdapKindOptions {
  readonly directories: Pick<Directories, 'open'>;
  readonly now: () => number;
}

/** For the operator: how to repair each fault. */
const advice: Readonly<Record<UnavailableReason, string>> = {
  unreachable: 'There is no answer at the address. Check host, port and firewall.',
  certificate:
    'TLS does not stand: the certificate is not vouched for by `ca`, has another name than the address, or StartTLS is refused.',
  slow: 'It does not answer in time: 1.5 seconds to connect, and 3 in all.',
  reader_refused: 'The bind account cannot log in. Check `bindDn` and the secret.',
  too_much: 'It answers more than is read: look at `baseDn`.',
  unreadable: 'It answers what is no LDAP.',
  referral: 'It refers to another directory, which is never followed: set the address of that one.',
  busy: 'It refuses to answer. Check `baseDn` and the rights of the bind account.',
};
const dayMilliseconds = 86_400_000;
const soonDays = 14;
/** The text for a certificate that expires within 14 days. */
export const renewal = 'Renew it: logins by this directory fail afterwards.';

export function createLdapKind({ directories, now }: LdapKindOptions): ProviderKind {
  return {
    kind: 'ldap',
    accepts: (settings) => isLdap(settings) && isSound(settings),
    identityOf: (settings) =>
      isLdap(settings) ? JSON.stringify([settings.dialect, canonicalDn(settings.baseDn)]) : '',
    addressOf: (settings) =>
      isLdap(settings) ? JSON.stringify([settings.url, settings.ca, settings.serverName]) : '',
    async check(provider) {
      try {
        const directory = await directories.open(provider);
        const { certificateEndsAt } = await directory.check();
        return [
          { what: 'bind', ok: true, text: 'The bind account logs in and can read `baseDn`.' },
          describeEnd(certificateEndsAt, now()),
        ];
      } catch (error) {
        if (!(error instanceof DirectoryUnavailable)) throw error;
        const what = error.reason === 'certificate' ? 'certificate' : 'bind';
        return [{ what, ok: false, text: advice[error.reason] }];
      }
    },
  };
}

export function isLdap(settings: ProviderSettings): settings is LdapSettings {
  return 'baseDn' in settings;
}

/** A certificate that expires soon still works, so the check passes: the text names the date. */
function describeEnd(endsAt: Date, now: number): ProviderFinding {
  const days = Math.floor((endsAt.getTime() - now) / dayMilliseconds);
  const until = endsAt.toISOString();
  const advised = days < soonDays ? ` ${renewal}` : '';
  return {
    what: 'certificate',
    ok: true,
    text: `The certificate ends in ${days} days, at ${until}.${advised}`,
  };
}

function isSound({ url, baseDn, bindDn, groupBaseDn, ca }: LdapSettings): boolean {
  const names = [baseDn, bindDn, ...(groupBaseDn === undefined ? [] : [groupBaseDn])];
  return (
    parseDirectoryUrl(url) !== undefined &&
    names.every((name) => canonicalDn(name) !== undefined) &&
    (ca === undefined || isCertificate(ca))
  );
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
