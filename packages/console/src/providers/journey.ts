// A way to a provider and back, kept by this window alone while it is away: the handle of the attempt never stands in an
// address, and an answer that nobody here asked for finds nothing.
import { isRecord } from '../is-record.ts';

export type Journey =
  | {
      readonly purpose: 'login';
      readonly provider: string;
      readonly attempt: string;
      readonly uuid: string | undefined;
      readonly code: string | undefined;
      readonly invitation: string | undefined;
      /** The page to go to afterwards. */
      readonly to: string | undefined;
    }
  | { readonly purpose: 'link'; readonly provider: string; readonly attempt: string };

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const name = 'portcullis.journey';

export function keepJourney(journey: Journey, storage: Kept = sessionStorage): void {
  storage.setItem(name, JSON.stringify(journey));
}

/** Once. Undefined where there is none to this provider. */
export function takeJourney(provider: string, storage: Kept = sessionStorage): Journey | undefined {
  const text = storage.getItem(name);
  storage.removeItem(name);
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    return isRecord(kept) && kept.provider === provider ? (kept as Journey) : undefined;
  } catch {
    return undefined;
  }
}
