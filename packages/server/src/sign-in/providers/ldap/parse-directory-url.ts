// The address of a directory. It holds neither a user nor a question.

export interface DirectoryAddress {
  readonly host: string;
  readonly port: number;
  /** Or behind StartTLS. */
  readonly tlsFirst: boolean;
}

/** Undefined where it is no address of a directory. */
export function parseDirectoryUrl(text: string): DirectoryAddress | undefined {
  const url = URL.parse(text);
  if (url === null || !['ldap:', 'ldaps:'].includes(url.protocol) || url.hostname === '') return undefined;
  if (url.username || url.password || url.search || url.hash || !['', '/'].includes(url.pathname))
    return undefined;
  const tlsFirst = url.protocol === 'ldaps:';
  const port = url.port === '' ? (tlsFirst ? 636 : 389) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, tlsFirst };
}
