// Lint of the passkey settings (WebAuthn): the domain that passkeys are bound to, and the origins that can use them. Neither is
// ever read from a request.

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
/** The last label of a host name is not a number, unlike the last part of an IP address. */
const hostName = new RegExp(`^(?=.{1,253}$)(${label}\\.)*(?![0-9]+$)${label}$`);

export function lintPasskeys(
  {
    passkeyDomain: domain,
    passkeyOrigins: origins,
  }: { readonly passkeyDomain: string; readonly passkeyOrigins: readonly string[] },
  isDev: boolean,
): string[] {
  if (domain === '')
    return origins.length === 0
      ? []
      : [
          '`mfa.passkeyOrigins` is set without `mfa.passkeyDomain`. Set both, or remove `mfa.passkeyOrigins`.',
        ];
  if (!hostName.test(domain))
    return ['`mfa.passkeyDomain` is not a host name. Write it as `example.com`, in lower case.'];
  return origins
    .filter((origin) => !isAccepted(origin, domain, isDev))
    .map(
      (origin) =>
        `\`mfa.passkeyOrigins\` contains ${JSON.stringify(origin)}, which cannot use passkeys of ${domain}. Write only scheme, host and port: \`https://\` and ${domain} or a subdomain.`,
    );
}

function isAccepted(origin: string, domain: string, isDev: boolean): boolean {
  const url = URL.parse(origin);
  if (url?.origin !== origin || !hostName.test(url.hostname)) return false;
  const isSecure =
    url.protocol === 'https:' || (isDev && url.protocol === 'http:' && url.hostname === 'localhost');
  return isSecure && (url.hostname === domain || url.hostname.endsWith(`.${domain}`));
}
