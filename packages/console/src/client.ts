// The API client of the console. The token stays in memory; after a reload, the cookie of the
// service authenticates the page.
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

/** Called once for every session that ends without the user's request. */
export function onSignedOut(listener: Listener): void {
  tellSignedOut = listener;
}
