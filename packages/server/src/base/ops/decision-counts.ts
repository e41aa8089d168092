// Decision metrics: counts what the checks decided, by result. It runs on every request, so it only increments a number.
import { AppError, type ErrorKind } from '@portcullis/contract';
import type { Sample } from './metrics.ts';

/** Every other error of a check counts as `internal`. */
export const decisionResults = [
  'allow',
  'token_missing',
  'token_malformed',
  'token_expired',
  'token_revoked',
  'cross_site',
  'password_change_required',
  'permission_denied',
  'route_not_found',
  'rate_limited',
  'unavailable',
  'internal',
] as const satisfies readonly ('allow' | ErrorKind)[];
type DecisionResult = (typeof decisionResults)[number];

export interface DecisionCounts {
  /** Takes the error that refused the request, or nothing for an allowed request. */
  count(error?: Error): void;
  read(): ReadonlyMap<DecisionResult, number>;
}

export function createDecisionCounts(): DecisionCounts {
  let allowed = 0;
  const refused = new Map<DecisionResult, number>(decisionResults.map((result) => [result, 0]));
  return {
    count(error) {
      if (error === undefined) {
        allowed += 1;
        return;
      }
      const result = resultOf(error);
      refused.set(result, (refused.get(result) ?? 0) + 1);
    },
    read: () => new Map(refused).set('allow', allowed),
  };
}

export function samplesOf(listener: string, counts: DecisionCounts) {
  return [...counts.read()].map(
    ([result, value]) => ({ labels: { listener, result }, value }) satisfies Sample,
  );
}

function resultOf(error: Error): DecisionResult {
  const kind = error instanceof AppError ? error.kind : 'internal';
  return decisionResults.find((result) => result === kind) ?? 'internal';
}
