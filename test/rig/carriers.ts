// The three ways in which a client presents a token (Spec, Authentication 2).
import type { Request } from './http-client.ts';

export const carriers = ['header', 'query', 'cookie'] as const;
export type Carrier = (typeof carriers)[number];

export function present(token: string, carrier: Carrier, request: Request): Request {
  switch (carrier) {
    case 'header':
      return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
    case 'query':
      return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}token=${token}` };
    case 'cookie':
      return { ...request, headers: { ...request.headers, cookie: `jwt=${token}` } };
  }
}
