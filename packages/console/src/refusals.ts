// Records the refused calls of this page, as suggestions for an access request.
import { shallowReadonly, shallowRef } from 'vue';

export interface RefusedCall {
  readonly method: string;
  readonly path: string;
  readonly requestId: string | null;
}

const kept = 20;
const refused = shallowRef<readonly RefusedCall[]>([]);
/** The last one first. */
export const refusals = shallowReadonly(refused);

/** `fetch` that also records a refusal. */
export async function fetchAndNote(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.headers.get('x-auth-reason') === 'permission_denied') {
    const { pathname } = new URL(response.url, location.origin);
    const call = { method: init?.method ?? 'GET', path: pathname };
    refused.value = [
      { ...call, requestId: response.headers.get('x-request-id') },
      ...refused.value.slice(0, kept - 1),
    ];
  }
  return response;
}

/** Called at sign-in: the next user starts without refusals. */
export function forgetRefusals(): void {
  refused.value = [];
}
