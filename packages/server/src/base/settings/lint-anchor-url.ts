// Where the heads of the logs may be sent.

const localHosts = ['127.0.0.1', '[::1]', 'localhost'];

/** HTTPS only, but that in dev another program of this host may take them. */
export function lintAnchorUrl({ anchorUrl }: { readonly anchorUrl: string }, isDev: boolean): string[] {
  if (anchorUrl === '') return [];
  const url = URL.parse(anchorUrl);
  const isAccepted =
    url?.protocol === 'https:' || (isDev && url?.protocol === 'http:' && localHosts.includes(url.hostname));
  if (!isAccepted) return ['`logger.anchorUrl` is no `https://` URL. Write it as `https://host/path`.'];
  return url.username === '' && url.password === ''
    ? []
    : [
        '`logger.anchorUrl` names a user, which is not sent. Put what it must know into the path or the query.',
      ];
}
