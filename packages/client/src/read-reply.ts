// Reads a response of `fetch`: returns the reply, or throws the error that the response means.
import { ClientError, findError } from './client-error.ts';

/** Rejects with a `ClientError` unless the answer is a success of the service. */
export async function readReply(response: Response, signal?: AbortSignal): Promise<object> {
  const body = parse(await response.text().catch((cause) => Promise.reject(lineError(cause, signal))));
  const error = findError(receivedOf(response, body));
  if (error !== undefined) throw error;
  return body as object;
}

/** Returns the unread response of a stream. A refusal has HTTP 200 too, but another content type. */
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

/** The error of a lost connection: `aborted` if the caller aborted the call, otherwise `network`. */
export function lineError(cause: unknown, signal: AbortSignal | undefined): ClientError {
  // A custom `fetch`, such as the one of the machine client, can throw a ClientError.
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
