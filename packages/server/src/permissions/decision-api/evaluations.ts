// Batch evaluation (AuthZEN 1.0, 7): many evaluations in one request, with defaults and the three semantics. A malformed
// evaluation is denied with its error, and the others are still evaluated.

import { isRecord } from '../../base/values/is-record.ts';
import type { Decision, Evaluate } from './evaluate.ts';
import { parseEvaluation } from './parse-evaluation.ts';
import type { JsonObject } from './read-json.ts';
import { ServiceError } from './service-error.ts';

export const mostEvaluations = 1000;

/** The decision that ends the batch; undefined means that all evaluations are decided. */
const lastDecisions: ReadonlyMap<unknown, boolean | undefined> = new Map([
  ['execute_all', undefined],
  ['deny_on_first_deny', false],
  ['permit_on_first_permit', true],
]);

/** A body without `evaluations`, or with an empty list, is a single evaluation. */
export async function evaluateAll(
  body: JsonObject,
  evaluate: Evaluate,
): Promise<Decision | { evaluations: Decision[] }> {
  const { evaluations, subject, action, resource, context } = body;
  if (evaluations !== undefined && !Array.isArray(evaluations))
    throw new ServiceError(400, '`evaluations` is not an array.');
  const last = lastDecisionOf(body.options);
  if (evaluations === undefined || evaluations.length === 0) return await evaluate(parseEvaluation(body));
  if (evaluations.length > mostEvaluations)
    throw new ServiceError(400, `There are more than ${mostEvaluations} evaluations.`);
  const decisions: Decision[] = [];
  for (const item of evaluations as readonly unknown[]) {
    const asked = isRecord(item) ? { subject, action, resource, context, ...item } : item;
    const decision = await evaluateItem(asked, evaluate);
    decisions.push(decision);
    if (decision.decision === last) break;
  }
  return { evaluations: decisions };
}

function lastDecisionOf(options: unknown): boolean | undefined {
  if (options === undefined) return undefined;
  if (!isRecord(options)) throw new ServiceError(400, '`options` is not a JSON object.');
  const { evaluations_semantic: semantic = 'execute_all' } = options;
  if (!lastDecisions.has(semantic))
    throw new ServiceError(
      400,
      `\`options.evaluations_semantic\` is not one of ${[...lastDecisions.keys()].join(', ')}.`,
    );
  return lastDecisions.get(semantic);
}

async function evaluateItem(item: unknown, evaluate: Evaluate): Promise<Decision> {
  try {
    return await evaluate(parseEvaluation(item));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { decision: false, context: { error: { status: error.status, message: error.message } } };
  }
}
