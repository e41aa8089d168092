// Reads what a service answers, to a code or about a person. Several refuse with HTTP 200: the answer itself says so.
import { readPointer } from './json-pointer.ts';

export type Answered = Readonly<Record<string, unknown>>;

/** Throws where it is a refusal, or nothing that can be read. */
export async function readAnswer(response: Response, statusPlace: string | undefined): Promise<Answered> {
  const answer: unknown = await response.json().catch(() => {
    // What a parser says repeats what it read, which may be a token.
    throw new Error(`It answers what is no JSON: HTTP ${response.status}.`);
  });
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new Error('It answers what is no object.');
  const { error, errcode = 0 } = answer as Answered;
  const isRefusal =
    !response.ok ||
    (error !== undefined && error !== null && error !== '') ||
    errcode !== 0 ||
    (statusPlace !== undefined && readPointer(answer, statusPlace) !== 0);
  if (isRefusal) throw new Error(`It refuses: HTTP ${response.status}, ${nameOf(error ?? errcode)}.`);
  return answer as Answered;
}

/** For the process log: no text of somebody else. */
function nameOf(error: unknown): string {
  return /^[\w.-]{1,64}$/.test(String(error)) ? String(error) : 'an error';
}
