// Parses the address of a directory: `ldap://` or `ldaps://`, without user, path, query and fragment.

export interface DirectoryAddress {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`ldaps`); otherwise by StartTLS. */
  readonly tlsFirst: boolean;
}

/** Undefined for any other text. */
export function parseDirectoryUrl(text: string): DirectoryAddress | undefined {
  const url = URL.parse(text);
  if (url === null || !['ldap:', 'ldaps:'].includes(url.protocol) || url.hostname === '') return undefined;
  if (url.username || url.password || url.search || url.hash || !['', '/'].includes(url.pathname))
    return undefined;
  const tlsFirst = url.protocol === 'ldaps:';
  const port = url.port === '' ? (tlsFirst ? 636 : 389) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, tlsFirst };
}
