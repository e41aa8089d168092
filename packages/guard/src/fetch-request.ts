// A request of the Fetch API as the checks read it. Its URL was parsed before, and repeated headers were joined: what can be
// told of that is taken apart again, so that the same rules see it.
import type { IncomingMessage } from 'node:http';
import type { GuardedRequest } from './guarded-request.ts';

/** The target is the text of the URL behind its host. No part of it is normalised here, or for the second time. */
export function readFetchRequest({ method, url, headers }: Request): GuardedRequest {
  const { authorization, ...others } = Object.fromEntries(headers);
  // Two of them were joined by a comma, which no token has.
  const sent = authorization?.split(',').flatMap((value) => ['authorization', value.trim()]) ?? [];
  return { method, target: targetOf(url), rawHeaders: sent, headers: others };
}

/**
 * The same with the message of Node that it was made of, where a framework has kept that: then it was not normalised at
 * all. Where the two differ, another request would be routed than was decided about, and there is no target.
 */
export function readFetchRequestOf(
  { method, url }: Request,
  { method: sent, url: target = '', rawHeaders, headers }: IncomingMessage,
): GuardedRequest {
  const isSame = sent === method && target === targetOf(url);
  return { method, target: isSame ? target : '', rawHeaders, headers };
}

/** Nothing, which is no target, where the URL has no host. A backslash ends the host too, as it does for a browser. */
function targetOf(url: string): string {
  return /^https?:\/\/[^/\\?#]+(.*)$/s.exec(url)?.[1] ?? '';
}
