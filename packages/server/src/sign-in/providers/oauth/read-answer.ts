// Reads the JSON answer of an OAuth service to a token request or a userinfo request. Several services refuse with HTTP 200
// and an error in the body.
import { readPointer } from './json-pointer.ts';

export type Answered = Readonly<Record<string, unknown>>;

/** Throws for a refusal, and for an answer that cannot be read. */
export async function readAnswer(response: Response, statusPath: string | undefined): Promise<Answered> {
  const answer: unknown = await response.json().catch(() => {
    // The error of the parser quotes the body, which can contain a token.
    throw new Error(`It answers what is no JSON: HTTP ${response.status}.`);
  });
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new Error('It answers what is no object.');
  const { error, errcode = 0 } = answer as Answered;
  const isRefusal =
    !response.ok ||
    (error !== undefined && error !== null && error !== '') ||
    errcode !== 0 ||
    (statusPath !== undefined && readPointer(answer, statusPath) !== 0);
  if (isRefusal) throw new Error(`It refuses: HTTP ${response.status}, ${nameOf(error ?? errcode)}.`);
  return answer as Answered;
}

/** The error code for the process log. A text that the service wrote is never logged. */
function nameOf(error: unknown): string {
  return /^[\w.-]{1,64}$/.test(String(error)) ? String(error) : 'an error';
}
