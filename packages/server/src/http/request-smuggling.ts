// Protection against request smuggling: refuses what Node's parser accepts, but a proxy before the service could read as another
// request, or as two.
import type { IncomingMessage } from 'node:http';

/**
 * Requires HTTP 1.0 or 1.1, one Host, and a body by its length or by chunks and nothing else (RFC 9112, 3.2 and 6.1). The only
 * expectation is `100-continue`, which Node answers.
 */
export function isOneRequest({ httpVersion, rawHeaders, headers }: IncomingMessage): boolean {
  const isOld = httpVersion === '1.0';
  if (!isOld && httpVersion !== '1.1') return false;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (isOld || coding.toLowerCase() !== 'chunked')) return false;
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) return false;
  const hosts = countHosts(rawHeaders);
  return hosts === 1 || (hosts === 0 && isOld);
}

/** `headers` keeps the first one and hides the others. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) if (isHost(rawHeaders[index])) count += 1;
  return count;
}

function isHost(name = ''): boolean {
  return name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host');
}
