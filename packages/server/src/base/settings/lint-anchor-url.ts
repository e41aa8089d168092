// Lint of `logger.anchorUrl`, the URL that the signed heads of the logs are sent to.

const localHosts = ['127.0.0.1', '[::1]', 'localhost'];

/** Only HTTPS; in dev also plain HTTP to another program on this host. */
export function lintAnchorUrl({ anchorUrl }: { readonly anchorUrl: string }, isDev: boolean): string[] {
  if (anchorUrl === '') return [];
  const url = URL.parse(anchorUrl);
  const isAccepted =
    url?.protocol === 'https:' || (isDev && url?.protocol === 'http:' && localHosts.includes(url.hostname));
  if (!isAccepted) return ['`logger.anchorUrl` is not an `https://` URL. Write it as `https://host/path`.'];
  return url.username === '' && url.password === ''
    ? []
    : [
        '`logger.anchorUrl` contains a username or password, which the service does not send. Remove it, and put the credential into the path or the query.',
      ];
}
