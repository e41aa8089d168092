// Reads a selected file as an OpenAPI document, or returns the problem with it.
import { isRecord } from '../../is-record.ts';

export type DocumentProblem = 'notJson' | 'tooLarge' | 'notRead';

export interface ChosenFile {
  readonly size: number;
  text(): Promise<string>;
}

export type ReadDocument =
  | { readonly document: Record<string, unknown> }
  | { readonly problem: DocumentProblem };

/** The limit of the service. */
const mostBytes = 4 * 1024 * 1024;

export async function readDocument(file: ChosenFile): Promise<ReadDocument> {
  if (file.size > mostBytes) return { problem: 'tooLarge' };
  try {
    return parse(await file.text());
  } catch {
    return { problem: 'notRead' };
  }
}

function parse(text: string): ReadDocument {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { document: value } : { problem: 'notJson' };
  } catch {
    return { problem: 'notJson' };
  }
}

/** Validates a service name. */
export function isServiceName(text: string): boolean {
  return /^[a-z][a-z0-9_-]{0,31}$/.test(text) && text !== 'portcullis';
}
