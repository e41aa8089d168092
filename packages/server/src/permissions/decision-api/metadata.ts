// What AuthZEN clients discover (AuthZEN 1.0, 9). The address is the one that the caller used: it must be identical to it.
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from './service-error.ts';

export function describeDecisionPoint(headers: IncomingHttpHeaders) {
  const { host = '' } = headers;
  if (!/^[A-Za-z0-9.:[\]-]{1,255}$/.test(host))
    throw new ServiceError(400, 'The Host header is not an address.');
  // This listener speaks no TLS itself: what ends it in front of us says so.
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const point = `${scheme}://${host}`;
  return {
    policy_decision_point: point,
    access_evaluation_endpoint: `${point}/access/v1/evaluation`,
    access_evaluations_endpoint: `${point}/access/v1/evaluations`,
  };
}
