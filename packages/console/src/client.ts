// The one client of the console. The token stays in memory; after a reload the service's own cookie signs the page in.
import { type ClientError, createClient } from '@portcullis/client';
import { callLimitSeconds } from './calls/call-limit.ts';
import { language } from './language/language.ts';
import { fetchAndNote } from './refusals.ts';

type Listener = (error: ClientError) => void;
let tellSignedOut: Listener = () => {};

export const client = createClient({
  language: () => language.value,
  limitSeconds: callLimitSeconds,
  fetch: fetchAndNote,
  onSignedOut: (error) => tellSignedOut(error),
});

/** Told once for every session that ends otherwise than by the user's wish. */
export function onSignedOut(listener: Listener): void {
  tellSignedOut = listener;
}
