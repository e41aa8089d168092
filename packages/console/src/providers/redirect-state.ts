// The state of a redirect to an identity provider and back, kept in the session storage of this window. The handle of
// the login flow never appears in an address, and an answer that this window did not request finds no state.
import { isRecord } from '../is-record.ts';

export type RedirectState =
  | {
      readonly purpose: 'login';
      readonly provider: string;
      readonly flowId: string;
      readonly uuid: string | undefined;
      readonly code: string | undefined;
      readonly invitation: string | undefined;
      /** The page to open afterwards. */
      readonly to: string | undefined;
    }
  | { readonly purpose: 'link'; readonly provider: string; readonly flowId: string };

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const name = 'portcullis.redirect-state';

export function storeRedirectState(state: RedirectState, storage: Kept = sessionStorage): void {
  storage.setItem(name, JSON.stringify(state));
}

/** Returns and deletes the state. Undefined if there is none for this provider. */
export function takeRedirectState(
  provider: string,
  storage: Kept = sessionStorage,
): RedirectState | undefined {
  const text = storage.getItem(name);
  storage.removeItem(name);
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    return isRecord(kept) && kept.provider === provider ? (kept as RedirectState) : undefined;
  } catch {
    return undefined;
  }
}
