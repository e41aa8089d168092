// Discovery metadata of AuthZEN (AuthZEN 1.0, 9). The addresses use the host that the caller used, because they must be
// identical to it.
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from './service-error.ts';

export function describeDecisionPoint(headers: IncomingHttpHeaders) {
  const { host = '' } = headers;
  if (!/^[A-Za-z0-9.:[\]-]{1,255}$/.test(host))
    throw new ServiceError(400, 'The Host header is not an address.');
  // This listener does not terminate TLS. The proxy that does sets `X-Forwarded-Proto`.
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const point = `${scheme}://${host}`;
  return {
    policy_decision_point: point,
    access_evaluation_endpoint: `${point}/access/v1/evaluation`,
    access_evaluations_endpoint: `${point}/access/v1/evaluations`,
  };
}
