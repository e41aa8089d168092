// Validates the URLs in the settings of a provider.

/** https, with host and path and nothing else. */
export function isPlainHttps(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' && isPlain(url);
}

/** A redirect URI: https, or http to the browser's own machine (`localhost`, `127.0.0.1`). */
export function isReturnAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || !isPlain(url)) return false;
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(url.hostname))
  );
}

function isPlain({ username, password, search, hash, href }: URL): boolean {
  return username === '' && password === '' && search === '' && hash === '' && !/[?#]/.test(href);
}
