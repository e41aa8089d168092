// The calls of this page that the role may not make, as far as the service answered so: what somebody can ask for.
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

/** As `fetch`, with an eye on the answer. */
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

/** Whoever signs in next has not been refused anything. */
export function forgetRefusals(): void {
  refused.value = [];
}
