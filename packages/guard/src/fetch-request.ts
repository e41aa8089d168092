// Converts a request of the Fetch API to the form that the checks read. The Fetch API has parsed the URL and joined
// repeated headers. The conversion splits a joined Authorization header again, so that the same checks apply.
import type { IncomingMessage } from 'node:http';
import type { GuardedRequest } from './guarded-request.ts';

/** The target is the text of the URL after the host. Nothing is normalised here. */
export function readFetchRequest({ method, url, headers }: Request): GuardedRequest {
  const { authorization, ...others } = Object.fromEntries(headers);
  // Repeated Authorization headers were joined with commas, and a token contains no comma.
  const sent = authorization?.split(',').flatMap((value) => ['authorization', value.trim()]) ?? [];
  return { method, target: targetOf(url), rawHeaders: sent, headers: others };
}

/**
 * The same conversion for a framework that keeps the message of Node, which is not normalised. If the two differ, the
 * framework would route another request than the guard decides about, so the target is empty and the request is refused.
 */
export function readFetchRequestOf(
  { method, url }: Request,
  { method: sent, url: target = '', rawHeaders, headers }: IncomingMessage,
): GuardedRequest {
  const isSame = sent === method && target === targetOf(url);
  return { method, target: isSame ? target : '', rawHeaders, headers };
}

/** Empty, which is no valid target, if the URL has no host. A backslash ends the host too, as in a browser. */
function targetOf(url: string): string {
  return /^https?:\/\/[^/\\?#]+(.*)$/s.exec(url)?.[1] ?? '';
}
