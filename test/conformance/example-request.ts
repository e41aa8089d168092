// The request that an endpoint's own example makes.
import { type Endpoint, type EndpointExample, requestExampleOf } from '@portcullis/contract';
import type { Request } from '../rig/http-client.ts';

export function exampleRequest(endpoint: Endpoint): Request {
  return requestOf(endpoint.method, endpoint.path, requestExampleOf(endpoint));
}

export function requestOf(method: string, path: string, { params, query, body }: EndpointExample): Request {
  const filled = path.replaceAll(/:(\w+)/g, (_part, name: string) =>
    encodeURIComponent(String(params?.[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value));
  return {
    method,
    path: search.size === 0 ? filled : `${filled}?${search}`,
    ...(body === undefined ? {} : { body }),
  };
}
