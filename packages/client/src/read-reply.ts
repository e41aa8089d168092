// Reads a response of `fetch`: the reply, or the error that it means.
import { ClientError, findError } from './client-error.ts';

/** Rejects with a `ClientError` unless the answer is a success of the service. */
export async function readReply(response: Response, signal?: AbortSignal): Promise<object> {
  const body = parse(await response.text().catch((cause) => Promise.reject(lineError(cause, signal))));
  const error = findError(receivedOf(response, body));
  if (error !== undefined) throw error;
  return body as object;
}

/** The response of a stream, not read yet. A refusal is HTTP 200 here too, but is no stream of that type. */
export async function expectStream(
  response: Response,
  contentType: string,
  signal?: AbortSignal,
): Promise<Response> {
  if (response.ok && mediaType(response.headers.get('content-type')) === mediaType(contentType))
    return response;
  await readReply(response, signal);
  throw new ClientError('not_understood', { status: response.status });
}

/** What became of a connection: the caller's own doing, or not. */
export function lineError(cause: unknown, signal: AbortSignal | undefined): ClientError {
  // Of a `fetch` that makes calls of its own.
  if (cause instanceof ClientError) return cause;
  return new ClientError(signal?.aborted ? 'aborted' : 'network', { cause });
}

function receivedOf({ status, headers }: Response, body: unknown) {
  return { status, body, header: (name: string) => headers.get(name) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mediaType(contentType: string | null): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}
